/**
 * This process as a transport: stdin and stdout are the wire.
 *
 * As long as the transport is open, whatever else writes to `process.stdout`
 * (`console.log`, Effect's default logger, a library) reaches stderr instead.
 *
 * @since 0.1.0
 */
import type { Framing } from "@parley/protocol/Framing"
import * as framings from "@parley/protocol/Framing"
import type { Limits } from "@parley/protocol/Limits"
import * as FramedTransport from "@parley/transport/FramedTransport"
import * as Listener from "@parley/transport/Listener"
import { Transport } from "@parley/transport/Transport"
import * as TransportError from "@parley/transport/TransportError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { takeStdout } from "./internal/stdout.ts"
import { Source, Target } from "./internal/streams.ts"

/**
 * How the two streams are framed, and the bounds.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** The default is `line`. */
  readonly framing?: Framing | undefined
  readonly limits?: Partial<Limits> | undefined
}

/**
 * Takes stdin and stdout until the Scope closes. Fails with `Open` while another transport has them.
 *
 * The end of stdin is `EndOfInput`, and stdout still works then; a stdout that nobody reads any more is `Lost`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeTransport: (
  options?: Options
) => Effect.Effect<Transport["Service"], TransportError.TransportError, Scope.Scope> = Effect.fnUntraced(
  function*(options = {}) {
    yield* take
    const write = yield* takeStdout
    const { stdin, stdout } = process
    const source = new Source(stdin)
    const target = new Target(stdout, (bytes) => write(bytes))
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        source.release()
        target.release()
      })
    )

    const emptied = Effect.callback<void>((resume) => {
      write(new Uint8Array(0), () => resume(Effect.void))
    })
    /** Waits until all is written, or none of it is for a second. */
    const flush: Effect.Effect<void> = Effect.suspend(() => {
      const before = stdout.writableLength
      if (before === 0 || stdout.destroyed) return Effect.void
      return Effect.flatMap(
        Effect.timeoutOption(emptied, 1_000),
        (done) => Option.isSome(done) || stdout.writableLength >= before ? Effect.void : flush
      )
    })
    const close = Effect.suspend(() => {
      source.stop()
      target.stop()
      return Effect.andThen(flush, stopReading)
    })
    return yield* FramedTransport.fromBytes(
      { pull: source.pull, write: target.write, close },
      { framing: options.framing ?? framings.line, limits: options.limits }
    )
  }
)

/**
 * The transport of this process. A new Layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerTransport = (options?: Options): Layer.Layer<Transport, TransportError.TransportError> =>
  Layer.effect(Transport, makeTransport(options))

/**
 * A listener whose one connection is stdin and stdout; when that has ended, its `run` fails with `EndOfInput`. A new
 * Layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerListener = (options?: Options): Layer.Layer<Listener.Listener> =>
  Layer.succeed(Listener.Listener, Listener.single("stdio:", makeTransport(options)))

/**
 * After a pause within its `data` event Node reads once more, and a stdin that reads keeps the process alive. A pause
 * in a later turn stops that, but only of a stream that flows.
 */
const stopReading = Effect.andThen(
  Effect.yieldNow,
  Effect.sync(() => {
    process.stdin.resume()
    process.stdin.pause()
  })
)

let taken = false

const take = Effect.acquireRelease(
  Effect.suspend(() => {
    if (taken) {
      return Effect.fail(TransportError.make({ _tag: "Open", cause: new Error("stdin and stdout are in use") }))
    }
    taken = true
    return Effect.void
  }),
  () =>
    Effect.sync(() => {
      taken = false
    })
)
