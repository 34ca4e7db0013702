/**
 * Transports over Effect's workers, for programs that have a `WorkerPlatform`.
 *
 * The platform starts and ends the worker; texts and credits travel as between
 * message ports. It keeps the order of messages, but forks a fiber for each that
 * comes from the worker, and tells an exit in order from a crash by its message
 * alone: either is `Lost`. `NodeWorker` of `@parley/node`, and `MessagePortTransport`
 * over a browser's `Worker`, have neither cost.
 *
 * @since 0.1.0
 */
import * as Limits from "@parley/protocol/Limits"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import { type Spawner, WorkerPlatform } from "effect/workers/Worker"
import { WorkerRunnerPlatform } from "effect/workers/WorkerRunner"
import * as posted from "./internal/posted.ts"
import * as Listener from "./Listener.ts"
import { Transport } from "./Transport.ts"
import * as TransportError from "./TransportError.ts"

/**
 * How texts travel.
 *
 * @see MessagePortTransport.Options
 * @category models
 * @since 0.1.0
 */
export type Options = posted.Options

/**
 * Spawns the worker of this id, and ends it with the Scope. Fails with `Open` when it does not start in
 * `Limits.handshake` milliseconds.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = Effect.fnUntraced(function*(
  options: Options & { readonly id?: number | undefined } = {}
): Effect.fn.Return<Transport["Service"], TransportError.TransportError, WorkerPlatform | Spawner | Scope.Scope> {
  const { handshake } = Limits.make(options.limits)
  const platform = yield* WorkerPlatform
  const worker = yield* Effect.mapError(platform.spawn(options.id ?? 0), openError)
  const started = yield* Deferred.make<void, TransportError.TransportError>()
  let events: posted.Events | undefined
  const transport = yield* posted.make({
    // The platform posts at once, or keeps it until the worker has started.
    post: (value) => Effect.runSync(worker.send(value)),
    listen: (told) => {
      events = told
      return () => {
        events = undefined
      }
    },
    close: () => undefined
  }, options)
  const onExit = (exit: Exit.Exit<never, unknown>) =>
    Effect.sync(() => {
      const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
      Deferred.doneUnsafe(started, Effect.fail(openError(error)))
      events?.onEnd({ error })
    })
  yield* worker.run((value) => Effect.sync(() => events?.onMessage(value)), {
    onSpawn: Effect.asVoid(Deferred.succeed(started, undefined))
  }).pipe(Effect.onExit(onExit), Effect.forkScoped({ startImmediately: true }))
  // Before the worker is ended: it is told first.
  yield* Effect.addFinalizer(() => transport.close)
  const came = yield* Effect.timeoutOption(Deferred.await(started), handshake)
  if (Option.isNone(came)) {
    return yield* Effect.fail(openError(new Error(`the worker did not start in ${handshake} ms`)))
  }
  return transport
})

/**
 * A worker that lives as long as the Layer. A new Layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (
  options: Options & { readonly id?: number | undefined } = {}
): Layer.Layer<Transport, TransportError.TransportError, WorkerPlatform | Spawner> =>
  Layer.effect(Transport, make(options))

/**
 * Inside of a worker: each port that posts something is a connection. `run` fails with `EndOfInput` when the worker is
 * told to end.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeListener = Effect.fnUntraced(function*(
  options: Options = {}
): Effect.fn.Return<
  Listener.Listener["Service"],
  TransportError.TransportError,
  WorkerRunnerPlatform | Scope.Scope
> {
  const { connections } = Limits.make(options.limits)
  const runner = yield* Effect.mapError(Effect.flatMap(WorkerRunnerPlatform, (platform) => platform.start()), openError)
  const arrivals = yield* Queue.dropping<Listener.Arrival, TransportError.TransportError>(connections)
  const ports = new Map<number, Port>()

  const onMessage = (id: number, value: unknown) => {
    const known = ports.get(id)
    if (known !== undefined) return known.tell(value)
    const port = new Port((answer) => runner.sendUnsafe(id, answer))
    ports.set(id, port)
    port.tell(value)
    const refuse = Effect.sync(() => port.refuse())
    if (!Queue.offerUnsafe(arrivals, { open: posted.make(port, options), refuse })) port.refuse()
  }
  const onDisconnect = (id: number) =>
    Effect.sync(() => {
      ports.get(id)?.end()
      ports.delete(id)
    })

  yield* runner.run<void, never, never>(onMessage).pipe(
    Effect.onExit(() =>
      Effect.andThen(
        Effect.sync(() => ports.forEach((port) => port.end())),
        Queue.fail(arrivals, TransportError.make({ _tag: "EndOfInput" }))
      )
    ),
    Effect.forkScoped({ startImmediately: true })
  )
  if (runner.disconnects !== undefined) {
    yield* Queue.take(runner.disconnects).pipe(
      Effect.flatMap(onDisconnect),
      Effect.forever,
      Effect.forkScoped({ startImmediately: true })
    )
  }
  return Listener.make({ address: "worker:", accept: Queue.take(arrivals), connections })
})

/**
 * Inside of a worker: the listener as a Layer. A new Layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerListener = (
  options: Options = {}
): Layer.Layer<Listener.Listener, TransportError.TransportError, WorkerRunnerPlatform> =>
  Layer.effect(Listener.Listener, makeListener(options))

/** One port of a runner, and what it posted before the connection was opened: no more than its credits allow. */
class Port implements posted.Wire {
  readonly post: (value: unknown) => void
  private events: posted.Events | undefined
  private early: Array<unknown> = []
  private isOver = false

  constructor(post: (value: unknown) => void) {
    this.post = post
  }

  tell(value: unknown): void {
    if (this.events !== undefined) this.events.onMessage(value)
    else if (!this.isOver) this.early.push(value)
  }

  end(): void {
    this.isOver = true
    this.events?.onEnd()
  }

  refuse(): void {
    this.close()
    this.post(null)
  }

  readonly listen = (events: posted.Events): () => void => {
    const early = this.early
    this.early = []
    this.events = events
    // When this has returned: the transport is not there before.
    queueMicrotask(() => {
      early.forEach(events.onMessage)
      if (this.isOver) events.onEnd()
    })
    return () => {
      this.events = undefined
    }
  }

  readonly close = (): void => {
    this.isOver = true
    this.early = []
  }
}

const openError = (cause: unknown): TransportError.TransportError => TransportError.make({ _tag: "Open", cause })
