/**
 * The transport of this process over its standard input and output, through Effect's `Stdio`.
 *
 * While it runs stdout is the wire: nothing else may write to it. `Stdio` cannot
 * keep others away; on Node.js `NodeStdio` of `@parley/node` does. Effect's default
 * logger writes to stdout unless `layerLogToStderr` is provided.
 *
 * @since 0.1.0
 */
import type { Framing } from "@parley/protocol/Framing"
import * as framings from "@parley/protocol/Framing"
import type * as Limits from "@parley/protocol/Limits"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import { Stdio } from "effect/Stdio"
import * as framed from "./internal/framed.ts"
import { readerOf, writerOf } from "./internal/streams.ts"
import * as Listener from "./Listener.ts"
import { Transport } from "./Transport.ts"
import * as TransportError from "./TransportError.ts"

/**
 * The framing, `line` where nothing else is said, and the bounds.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  readonly framing?: Framing | undefined
  readonly limits?: Partial<Limits.Limits> | undefined
}

/**
 * Reads stdin and writes stdout until the Scope closes. The end of stdin is `EndOfInput`; stdout still works then.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make: (
  options?: Options
) => Effect.Effect<Transport["Service"], never, Stdio | Scope.Scope> = Effect.fnUntraced(
  function*(options = {}) {
    const stdio = yield* Stdio
    const scope = yield* Scope.fork(yield* Effect.scope)
    const cut = yield* Deferred.make<never, TransportError.TransportError>()
    const writer = yield* Scope.provide(writerOf(stdio.stdout({ endOnDone: false })), scope)
    const { pull } = yield* Scope.provide(readerOf(stdio.stdin, cut), scope)
    const close = Deferred.fail(cut, TransportError.make({ _tag: "Closed" })).pipe(
      Effect.andThen(writer.end),
      Effect.andThen(writer.flushed),
      Effect.andThen(Scope.close(scope, Exit.void))
    )
    return yield* framed.fromBytes({ pull, write: writer.write, close }, {
      framing: options.framing ?? framings.line,
      limits: options.limits
    })
  }
)

/**
 * The transport of this process. A new Layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options?: Options): Layer.Layer<Transport, never, Stdio> => Layer.effect(Transport, make(options))

/**
 * A listener whose one connection is the standard input and output of this process; when that has ended, its `run`
 * fails with `EndOfInput`.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerListener = (options?: Options): Layer.Layer<Listener.Listener, never, Stdio> =>
  Layer.effect(
    Listener.Listener,
    Effect.map(Effect.context<Stdio>(), (context) =>
      Listener.single("stdio:", Effect.provideContext(make(options), context)))
  )

/**
 * Effect's default logger writes to stderr. Provide it to every program that serves over standard output.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerLogToStderr: Layer.Layer<never> = Layer.succeed(Logger.LogToStderr, true)
