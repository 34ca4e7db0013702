/**
 * Worker threads as transports: a parent's transport to its worker, and a worker's to its parent.
 *
 * Both ends are `MessagePortTransport`s, with its `wire` and `flow`. This module
 * owns the life of the worker. It starts threads itself, because Effect's worker
 * platform forks a fiber for each message and cannot tell a crash from an exit.
 *
 * ```ts
 * import { NodeWorker } from "@parley/node"
 * import { Caller, Router } from "@parley/peer"
 * import { Effect, Layer } from "effect"
 *
 * // worker.ts launches this.
 * export const worker = NodeWorker.layerServer().pipe(
 *   Layer.provide(Router.layer({ ping: () => Effect.succeed("pong") }))
 * )
 *
 * // The program that starts the worker runs this.
 * export const program = Effect.flatMap(Caller.Caller, (caller) => caller.request("ping")).pipe(
 *   Effect.provide(NodeWorker.layerClient({ url: new URL("./worker.ts", import.meta.url) }))
 * )
 * ```
 *
 * @since 0.1.0
 */
import type { Caller } from "@parley/peer/Caller"
import type * as Peer from "@parley/peer/Peer"
import type { DuplexRouter } from "@parley/peer/Router"
import * as Listener from "@parley/transport/Listener"
import * as MessagePortTransport from "@parley/transport/MessagePortTransport"
import { Transport, type TransportError, transportError } from "@parley/transport/Transport"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { parentPort, Worker, type WorkerOptions } from "node:worker_threads"
import * as layers from "./internal/layers.ts"

/**
 * The script to start, how texts travel, and how the worker ends.
 *
 * @category models
 * @since 0.1.0
 */
export type WorkerTransportOptions = MessagePortTransport.MessagePortOptions & {
  /** The script: a `file:` URL, or a path. */
  readonly url: string | URL
  /** `workerData`, `env`, `resourceLimits` and the rest, for `node:worker_threads`. */
  readonly worker?: WorkerOptions | undefined
  /** How long the worker may take to end by itself once the transport has closed. The default is 2 seconds. */
  readonly endGrace?: Duration.Input | undefined
}

/**
 * Starts a worker thread, and ends it with the Scope. Fails with `Open` when it cannot be started.
 *
 * Closing tells the worker, waits `endGrace` for it to end, and terminates it. A worker that throws is `Lost` with the
 * error as its cause, and so are a script that is not found and an exit code other than 0. An exit with code 0 is
 * `EndOfInput`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeTransport = Effect.fnUntraced(function*(
  options: WorkerTransportOptions
): Effect.fn.Return<Transport, TransportError, Scope.Scope> {
  const { endGrace = "2 seconds" } = options
  const { exited, worker } = yield* Effect.acquireRelease(
    start(options),
    ({ worker }) => Effect.promise(() => worker.terminate())
  )
  const inner = yield* MessagePortTransport.make(portOf(worker), options)
  const close = yield* Effect.cached(Effect.uninterruptible(
    inner.close.pipe(
      Effect.andThen(Effect.timeoutOption(Deferred.await(exited), endGrace)),
      Effect.andThen(Effect.promise(() => worker.terminate())),
      Effect.asVoid
    )
  ))
  yield* Effect.addFinalizer(() => close)
  return { receive: inner.receive, send: inner.send, close }
})

/**
 * A worker thread that lives as long as the Layer. A new Layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerTransport = (
  options: WorkerTransportOptions
): Layer.Layer<Transport, TransportError> => Layer.effect(Transport, makeTransport(options))

/**
 * The peer of a worker thread that lives as long as the Layer. A new Layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerClient = (
  options: WorkerTransportOptions & layers.PeerOptions
): Layer.Layer<Peer.PeerService | Caller, TransportError> => layers.peer(layerTransport(options), options)

/**
 * Inside of a worker thread: its parent, closed with the Scope. Fails with `Open` where there is none.
 *
 * A worker ends by itself when this is closed and nothing else keeps it alive.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeParent = (
  options: MessagePortTransport.MessagePortOptions = {}
): Effect.Effect<Transport, TransportError, Scope.Scope> =>
  Effect.suspend(() =>
    parentPort === null
      ? Effect.fail(
        transportError({ _tag: "Open", cause: new Error("this is the main thread, not a worker thread") })
      )
      : MessagePortTransport.make(parentPort, options)
  )

/**
 * Inside of a worker thread: its parent as a Layer. A new Layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerParent = (
  options: MessagePortTransport.MessagePortOptions = {}
): Layer.Layer<Transport, TransportError> => Layer.effect(Transport, makeParent(options))

/**
 * Inside of a worker thread: a listener with one connection, the parent's. `run` fails with `EndOfInput` after it.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeListener = (options: MessagePortTransport.MessagePortOptions = {}): Listener.Listener =>
  Listener.single("worker:", makeParent(options))

/**
 * Inside of a worker thread: the listener for its parent as a Layer. A new Layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerListener = (options: MessagePortTransport.MessagePortOptions = {}): Layer.Layer<Listener.Listener> =>
  Layer.sync(Listener.Listener, () => makeListener(options))

/**
 * Inside of a worker thread: serves the `Router` to the parent as long as the Layer lives. A new Layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerServer = <R = never>(
  options: MessagePortTransport.MessagePortOptions & layers.ServerOptions<R> = {}
): Layer.Layer<Listener.Listener, TransportError, DuplexRouter | Exclude<R, Scope.Scope>> =>
  layers.server(layers.single("worker:", makeParent(options)), options)

const start = (options: WorkerTransportOptions) =>
  Effect.try({
    try: () => {
      const worker = new Worker(options.url, options.worker)
      const exited = Deferred.makeUnsafe<void>()
      worker.on("exit", () => Deferred.doneUnsafe(exited, Effect.void))
      return { worker, exited }
    },
    catch: (cause) => transportError({ _tag: "Open", cause })
  })

/**
 * A `Worker` of Node.js with the interface of a browser's port, and its exit as an event. It listens until the worker
 * has gone, because an error event without a listener would end this process.
 */
const portOf = (worker: Worker): MessagePortTransport.Port => {
  const listeners = new Map<string, (event: MessagePortTransport.PortEvent) => void>()
  const tell = (event: MessagePortTransport.PortEvent) => listeners.get(event.type)?.(event)
  worker.on("message", (data) => tell({ type: "message", data }))
  worker.on("messageerror", (error) => tell({ type: "messageerror", error }))
  worker.on("error", (error) => tell({ type: "error", error }))
  worker.on(
    "exit",
    (code) =>
      tell(code === 0 ? { type: "close" } : { type: "error", error: new Error(`the worker exited with code ${code}`) })
  )
  return {
    postMessage: (message) => worker.postMessage(message),
    addEventListener: (type, listener) => void listeners.set(type, listener),
    removeEventListener: (type) => void listeners.delete(type)
  }
}
