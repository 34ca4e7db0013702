/**
 * This process as a transport: stdin and stdout are the wire.
 *
 * While the transport is open, everything else that is written to `process.stdout`
 * (by `console.log`, Effect's default logger, a library) goes to stderr instead.
 *
 * ```ts
 * import { NodeStdio } from "@parley/node"
 * import { Router } from "@parley/peer"
 * import { Effect } from "effect"
 *
 * const router = Router.layer({ ping: () => Effect.succeed("pong") })
 *
 * // The whole of a program that an editor or an agent starts: it ends when its stdin does.
 * Effect.runPromise(NodeStdio.runServer().pipe(Effect.provide(router)))
 * ```
 *
 * @since 0.1.0
 */
import type { Caller } from "@parley/peer/Caller"
import type * as Peer from "@parley/peer/Peer"
import type { DuplexRouter } from "@parley/peer/Router"
import type { Framing } from "@parley/protocol/Framing"
import type { Limits } from "@parley/protocol/Limits"
import * as FramedTransport from "@parley/transport/FramedTransport"
import * as Listener from "@parley/transport/Listener"
import { Transport, type TransportError, transportError } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as layers from "./internal/layers.ts"
import * as parent from "./internal/process/parent.ts"
import { takeStdout } from "./internal/process/stdout.ts"
import { Source, Target } from "./internal/streams.ts"

/**
 * The framing of the two streams, and the bounds.
 *
 * @category models
 * @since 0.1.0
 */
export interface StdioOptions {
  /** How the texts are separated. The default is that of the dialect of the peer, and `line` without a peer. */
  readonly framing?: Framing | undefined
  /** `frame`, `header`, `depth` and `partialFrame` bound the texts. */
  readonly limits?: Partial<Limits> | undefined
  /**
   * Whether the input ends, too, when the process that has started this one is gone. It does by default, because a
   * program between the two may hold stdin open for ever.
   */
  readonly endsWithParent?: boolean | undefined
}

/**
 * Takes stdin and stdout until the Scope closes. Fails with `Open` while another transport has them.
 *
 * The end of stdin, or of the process that has started this one, is `EndOfInput`; stdout still works then. A stdout
 * that nobody reads any more is `Lost`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeTransport: (
  options?: StdioOptions
) => Effect.Effect<Transport, TransportError, Scope.Scope> = Effect.fnUntraced(
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

    if (options.endsWithParent !== false) {
      const orphaned = Effect.map(parent.gone(), () => source.stop(transportError({ _tag: "EndOfInput" })))
      yield* Effect.forkScoped(orphaned)
    }

    const emptied = Effect.callback<void>((resume) => {
      write(new Uint8Array(0), () => resume(Effect.void))
    })
    /** Waits until everything is written, or nothing is written for a second. */
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
      { pull: source.pull, write: (bytes) => target.write(bytes), unsent: target.unsent, close },
      { framing: options.framing, limits: options.limits }
    )
  }
)

/**
 * The transport of this process. A new Layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerTransport = (options?: StdioOptions): Layer.Layer<Transport, TransportError> =>
  Layer.effect(Transport, makeTransport(options))

/**
 * A listener whose one connection is stdin and stdout; when that has ended, its `run` fails with `EndOfInput`. A new
 * Layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerListener = (options?: StdioOptions): Layer.Layer<Listener.Listener> =>
  Layer.succeed(Listener.Listener, Listener.single("stdio:", makeTransport(options)))

/**
 * The options of a server: those of the streams, and those of its peer.
 *
 * @category models
 * @since 0.1.0
 */
export interface StdioServerOptions<R = never> extends Omit<StdioOptions, "framing">, layers.ServerOptions<R> {}

/**
 * Serves the `Router` over stdin and stdout until stdin has ended and what it asked is answered: the whole of a program
 * that another one starts. The framing is that of the `dialect`. Fails with `Open` while another
 * transport has the two streams.
 *
 * @category running
 * @since 0.1.0
 */
export const runServer = <R = never>(
  options: StdioServerOptions<R> = {}
): Effect.Effect<void, TransportError, DuplexRouter | Exclude<R, Scope.Scope>> =>
  layers.untilEnd(Listener.single("stdio:", makeTransport(options)), options)

/**
 * Serves the `Router` over stdin and stdout beside the rest of a program, which goes on when stdin has ended: where
 * serving is all that it does, use `runServer`. A new Layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerServer = <R = never>(
  options: StdioServerOptions<R> = {}
): Layer.Layer<Listener.Listener, TransportError, DuplexRouter | Exclude<R, Scope.Scope>> =>
  layers.server(layers.single("stdio:", makeTransport(options)), options)

/**
 * The options of a peer: those of the streams, and the methods that are served in return.
 *
 * @category models
 * @since 0.1.0
 */
export interface StdioClientOptions extends Omit<StdioOptions, "framing">, layers.PeerOptions {}

/**
 * A peer of the process that has started this one, over stdin and stdout. A new Layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerClient = (
  options: StdioClientOptions = {}
): Layer.Layer<Peer.PeerService | Caller, TransportError> => layers.peer(layerTransport(options), options)

/**
 * When a stream is paused within its `data` event, Node reads once more, and a reading stdin keeps the process alive. A
 * pause in a later turn stops that, but only if the stream flows.
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
      return Effect.fail(
        transportError({
          _tag: "Open",
          cause: new Error("another transport of this process uses stdin and stdout")
        })
      )
    }
    taken = true
    return Effect.void
  }),
  () =>
    Effect.sync(() => {
      taken = false
    })
)
