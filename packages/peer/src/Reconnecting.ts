/**
 * A caller over one connection after the other.
 *
 * ```
 *   Connecting ──opened, `onConnect` done──→ Connected ──lost──→ Waiting ──→ Connecting …
 *       └────────────── failed ──────────────────────────────────↑  └─ schedule or Scope ended ─→ Closed
 * ```
 *
 * Every connection has a `Peer` of its own, with its own calls and ids, and a lost
 * one is released before the next one is opened, unless handlers still run there
 * half a second later. A call that was under way when
 * its connection was lost fails with `Disconnected`, as the peer says: `Retry`, or
 * the program, decides whether to make it again. A call that is made while there
 * is no connection waits for the next one.
 *
 * A server that shuts down in order *drains*: it refuses calls that have not
 * started, and ends subscriptions. Then this caller leaves the connection: the
 * refused calls wait for the next one, and what still runs on the old one has
 * `Limits.drain` to end. It knows such an end by the `data` beside the code, so that
 * an error of a third party with this code moves nothing.
 *
 * This file owns the states and the attempts, `ConnectQueue` the calls that wait.
 *
 * ```ts run
 * import { Reconnecting, Router, Server } from "@parley/peer"
 * import { MemoryTransport } from "@parley/transport"
 * import { Effect, Layer } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const caller = yield* Reconnecting.make({ open: (yield* MemoryTransport.Connector).connect })
 *   console.log(yield* caller.request("ping")) // => pong
 * })
 * const layer = Layer.merge(Router.layer({ ping: () => Effect.succeed("pong") }), MemoryTransport.layerListener())
 * await Effect.runPromise(Effect.raceFirst(Effect.scoped(program), Server.run).pipe(Effect.provide(layer)))
 * ```
 *
 * @since 0.1.0
 */
import * as Limits from "@parley/protocol/Limits"
import { Backoff } from "@parley/transport/shared"
import type { Transport, TransportError } from "@parley/transport/Transport"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Prototype } from "effect/Pipeable"
import * as PubSub from "effect/PubSub"
import * as Pull from "effect/Pull"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { Caller } from "./Caller.ts"
import { Disconnected, type DisconnectReason } from "./internal/CallerError.ts"
import { ConnectingCaller, none } from "./internal/reconnect/ConnectingCaller.ts"
import * as Connection from "./internal/reconnect/Connection.ts"
import * as DrainableCaller from "./internal/reconnect/DrainableCaller.ts"
import { Pauses } from "./internal/reconnect/Pauses.ts"
import * as ResumableStream from "./internal/reconnect/ResumableStream.ts"
import { Host } from "./internal/runtime/Host.ts"
import { defaultTimeout } from "./internal/timer/DeadlineQueue.ts"
import * as Peer from "./Peer.ts"

/**
 * The state of a reconnecting caller.
 *
 * - `Connecting`: `open` or `onConnect` runs. Attempts count from 1, and anew when the schedule starts over.
 * - `Connected`: calls go out. Connections count from 1.
 * - `Waiting`: the last attempt has failed, or its connection was lost or drains (`ShuttingDown`), for this reason; the
 *   next attempt begins after so many milliseconds, and at most half a second later where a lost connection is not released.
 * - `Closed`: the Scope has closed (reason `Closed`), or the schedule has ended. Nothing follows.
 *
 * @category models
 * @since 0.1.0
 */
export type ReconnectingState =
  | { readonly _tag: "Connecting"; readonly attempt: number }
  | { readonly _tag: "Connected"; readonly connection: number }
  | {
    readonly _tag: "Waiting"
    readonly attempt: number
    readonly reason: DisconnectReason
    readonly milliseconds: number
  }
  | { readonly _tag: "Closed"; readonly reason: DisconnectReason }

/**
 * The options of a reconnecting caller: those of each of its peers, and how to get a connection.
 *
 * `limits.handshake` bounds an attempt, `open` and `onConnect` together; `limits.waiting` the calls that wait for a
 * connection.
 *
 * @category models
 * @since 0.1.0
 */
export interface ReconnectingOptions<R = never, R2 = never, R3 = never> extends Omit<Peer.PeerOptions, "start"> {
  /** Opens a connection. Its Scope is that of the connection. */
  readonly open: Effect.Effect<Transport, TransportError, R>
  /**
   * How long to wait before the next attempt when one has failed, or its connection was lost. `backoff` by default, which
   * stays below a second for 10 seconds after a server that shut down in order: the next one is near. It starts over
   * after a connection that was `steady`. Its end is the end of the caller.
   */
  readonly schedule?: Schedule.Schedule<unknown, DisconnectReason, never, R2> | undefined
  /** Which reasons are worth another attempt. All of them by default. */
  readonly while?: ((reason: DisconnectReason) => boolean) | undefined
  /** How long a connection must have been usable for the schedule to start over. 5 seconds by default. */
  readonly steady?: Duration.Input | undefined
  /**
   * Runs on each new connection before any other call goes out: a handshake, credentials. It calls the peer it is
   * given, since all others wait for it. The peer reads behind its first steps, so that these can listen before anything
   * comes. Its Scope is that of the connection. Its failure is a failed attempt, for the reason `Open`.
   */
  readonly onConnect?: ((peer: Peer.Peer) => Effect.Effect<unknown, unknown, R3>) | undefined
}

/**
 * Calls methods of the other side over one connection after the other.
 *
 * A call that has to wait for a connection does so within its time, and fails with `RequestTimeout` (without an id:
 * none was sent) when that is over, with `Overloaded` when too many wait already, and with `Disconnected { sent: false
 * }` when no connection will follow. So does a call that the other side refused before it started, because it shuts
 * down. A notification waits as long as a call would, and fails with `Disconnected`.
 *
 * `listen` hears the notifications of one connection: the listener is told of its end. To hear those of all
 * connections, give the `router` a handler. `pause` holds for later connections, too.
 *
 * @category services
 * @since 0.1.0
 */
export interface Reconnecting extends Caller {
  /** Where it stands now. */
  readonly state: Effect.Effect<ReconnectingState>
  /**
   * Where it stands now, and each change in order; it ends with `Closed`. A watcher that is more than 64 changes behind
   * misses the oldest.
   */
  readonly changes: Stream.Stream<ReconnectingState>
  /** Waits until there is a connection, and gives its number. */
  readonly connected: Effect.Effect<number, Disconnected>
}

/** Identifies the service `Reconnecting` where an effect requires it, as `PeerService` does. @category services @since 0.1.0 */
export interface ReconnectingService {
  readonly "~@parley/peer/Reconnecting": never
}

/** The service of a `Reconnecting`. @category services @since 0.1.0 */
export const Reconnecting: Context.Service<ReconnectingService, Reconnecting> = Context.Service(
  "@parley/peer/Reconnecting"
)

/**
 * The default schedule: from 100 milliseconds on twice as long each time up to 10 seconds, all by up to a fifth more or
 * less, so that the clients of a server that comes back do not all come at once.
 *
 * @category schedules
 * @since 0.1.0
 */
export const backoff: Schedule.Schedule<Duration.Duration> = Backoff.make({ first: "100 millis", most: "10 seconds" })

/**
 * A caller that connects, and connects again. It begins at once, and does not wait for a connection. Closing the Scope
 * shuts the connection down in order.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = <R = never, R2 = never, R3 = never>(
  options: ReconnectingOptions<R, R2, R3>
): Effect.Effect<Reconnecting, never, Scope.Scope | R | R2 | R3> =>
  Effect.gen(function*() {
    // A watcher that is further behind learns nothing from the oldest.
    const states = yield* PubSub.sliding<ReconnectingState>({ capacity: 64, replay: 1 })
    const { end, run, service } = start(options, yield* Effect.context<never>(), states)
    yield* Effect.forkScoped(run, { startImmediately: true })
    // Runs before the fiber is interrupted.
    yield* Effect.addFinalizer(() => Effect.sync(() => end({ _tag: "Closed" })))
    return service
  })

/**
 * The reconnecting caller of a program that calls one other side. It serves the `router` of its options and no other. A
 * new layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = <R = never, R2 = never, R3 = never>(
  options: ReconnectingOptions<R, R2, R3>
): Layer.Layer<ReconnectingService | Caller, never, Exclude<R | R2 | R3, Scope.Scope>> =>
  Layer.effectContext(
    Effect.map(make(options), (made) => Context.make(Reconnecting, made).pipe(Context.add(Caller, made)))
  )

/** Stands in a stream for the items that were missed between two connections. @category models @since 0.1.0 */
export class Gap extends Data.TaggedClass("Gap")<{
  /** The number of the new connection. */
  readonly connection: number
  /** The reason for which the stream had ended on the one before. */
  readonly reason: DisconnectReason
}> {}

/** Whether an element of a stream is a gap. @category guards @since 0.1.0 */
export const isGap = (u: unknown): u is Gap => u instanceof Gap

/**
 * Runs a stream over this caller again on the next connection, where it failed with `Disconnected`, or with the answer
 * of a peer that shuts down: a subscription is made again. A `Gap` stands between the last item of the old connection
 * and the first of the new one.
 *
 * Every other failure passes. So does `Disconnected` where no connection follows, or where the connection is still
 * there, because then another one has ended.
 *
 * @category streaming
 * @since 0.1.0
 */
export const resume =
  (reconnecting: Reconnecting) =>
  <A, E, R>(stream: Stream.Stream<A, E, R>): Stream.Stream<A | Gap, E | Disconnected, R> =>
    ResumableStream.make(stream, {
      // While the schedule decides, which may take its time, the state is still that of the lost connection.
      connection: Effect.raceFirst(Effect.orElseSucceed(reconnecting.connected, () => 0), Effect.succeed(0)),
      connected: reconnecting.connected,
      after: (connection) =>
        reconnecting.changes.pipe(
          Stream.filter((state) => state._tag === "Connected" && state.connection !== connection),
          Stream.runHead,
          // If none comes, the changes have ended, and so has the caller.
          Effect.andThen(reconnecting.connected)
        ),
      ...origins.get(reconnecting),
      gap: (connection, { reason }) => new Gap({ connection, reason })
    })

/** The dialect of each caller, and its way to leave a connection, for streams that are run again over it. */
const origins = new WeakMap<Reconnecting, ResumableStream.Origin>()

const start = <R, R2, R3>(
  options: ReconnectingOptions<R, R2, R3>,
  context: Context.Context<never>,
  states: PubSub.PubSub<ReconnectingState>
) => {
  const { dialect, onConnect, open, while: isWorth = () => true } = options
  const schedule: Schedule.Schedule<unknown, DisconnectReason, never, R2> = options.schedule ?? backoff
  const limits = Limits.make(options.limits)
  const timeout = defaultTimeout(options.timeout)
  const steady = Duration.toMillis(Duration.fromInputUnsafe(options.steady ?? Duration.seconds(5)))
  const host = new Host(context, limits)
  const pauses = new Pauses()
  let state: ReconnectingState
  /** The peer that calls go to. */
  let current: DrainableCaller.DrainableCaller | undefined
  let left = Deferred.makeUnsafe<DisconnectReason>()
  let usable = Deferred.makeUnsafe<number, Disconnected>()
  let connections = 0
  let attempt = 1
  let closed: Disconnected | undefined
  const delayed = new ConnectingCaller(host, limits.waiting, timeout)

  const become = (next: ReconnectingState) => {
    state = next
    // A sliding `PubSub` takes it at once.
    host.fork(PubSub.publish(states, next))
  }
  become({ _tag: "Connecting", attempt })

  /** Admits the calls that wait first. Other calls go out when these have. */
  const enter = (connected: Peer.Peer) => {
    const leaveIt = () => current === peer && leave({ _tag: "ShuttingDown" })
    const peer = DrainableCaller.make(connected, { dialect, next: service, leave: leaveIt, timeout, host })
    if (closed !== undefined) return
    become({ _tag: "Connected", connection: ++connections })
    delayed.admit(peer)
    // One of them may have closed the Scope.
    if (closed !== undefined) return
    current = peer
    Deferred.doneUnsafe(usable, Exit.succeed(connections))
    // Who was admitted and has called again.
    delayed.admit(peer)
  }

  const leave = (reason: DisconnectReason) => {
    const old = current
    if (old === undefined) return
    current = undefined
    usable = Deferred.makeUnsafe()
    old.left()
    Deferred.doneUnsafe(left, Exit.succeed(reason))
  }

  const end = (reason: DisconnectReason) => {
    if (closed !== undefined) return
    closed = new Disconnected({ reason, sent: false })
    leave(reason)
    become({ _tag: "Closed", reason })
    delayed.close(closed)
    Deferred.doneUnsafe(usable, Exit.fail(closed))
  }

  const connect = Connection.open({
    transport: open,
    peer: { ...options, timeout },
    onConnect,
    pauses,
    limits,
    onDefect: (cause) => end({ _tag: "Open", cause })
  })

  const run = Effect.gen(function*() {
    let step = yield* Schedule.toStep(schedule)
    /** Whether the steps are those of a server that starts again: they grow, too, where it does so again and again. */
    let isRestarting = false

    /** Milliseconds until the next attempt, or `undefined` where there is none. */
    const next = Effect.fnUntraced(function*(reason: DisconnectReason, lived?: number) {
      delayed.last = reason
      if (closed !== undefined) return undefined
      // A failed attempt has not lived, however short a steady connection may be.
      const wasSteady = lived !== undefined && lived >= steady
      const isRestart = reason._tag === "ShuttingDown" && options.schedule === undefined
      if (wasSteady || (isRestart && !isRestarting)) {
        step = yield* Schedule.toStep(isRestart ? Connection.restarting : schedule)
        isRestarting = isRestart
      }
      if (wasSteady) attempt = 0
      const delay = isWorth(reason)
        ? yield* step(yield* Clock.currentTimeMillis, reason).pipe(
          Effect.map(([, delay]) => Duration.toMillis(delay)),
          Pull.catchDone(() => Effect.undefined)
        )
        : undefined
      if (delay === undefined) end(reason)
      else become({ _tag: "Waiting", attempt: ++attempt, reason, milliseconds: delay })
      return delay
    })

    const live: Effect.Effect<Connection.Past, never, R | R2 | R3 | Scope.Scope> = Effect.gen(function*() {
      const opened = yield* Effect.exit(connect)
      if (Exit.isFailure(opened)) {
        if (Cause.hasDies(opened.cause)) {
          host.log("the `open` or the `onConnect` of a reconnecting caller died", opened.cause)
        }
        return { delay: yield* next(Connection.reasonOf(opened.cause)) }
      }
      const peer = opened.value
      const began = host.timers.now()
      left = Deferred.makeUnsafe()
      enter(peer)
      const reason = yield* Effect.raceFirst(peer.disconnected, Deferred.await(left))
      leave(reason)
      const delay = yield* next(reason, host.timers.now() - began)
      const isLeft = reason._tag === "ShuttingDown"
      const ended = isLeft ? peer.disconnected : peer.closed
      if (delay === undefined) return yield* Effect.as(Effect.timeoutOption(ended, limits.drain), { delay })
      // Calls from before the end of the input are still answered, most often before the next connection is opened.
      if (!isLeft && Option.isSome(yield* Effect.timeoutOption(ended, Connection.patience))) return { delay }
      return { delay, drained: Effect.raceFirst(ended, Effect.sleep(limits.drain)) }
    })

    const connection = Connection.released(live, yield* Effect.scope)
    for (;;) {
      const { delay } = yield* connection
      if (delay === undefined) return
      yield* Effect.sleep(delay)
      become({ _tag: "Connecting", attempt })
    }
  }).pipe(
    // Whatever else ends it, nobody may wait for a connection that never comes.
    Effect.onExit((exit) =>
      Effect.sync(() => end(Exit.isFailure(exit) ? Connection.reasonOf(exit.cause) : delayed.last ?? none))
    )
  )

  const service: Reconnecting = {
    request: (method, params, call) => Effect.suspend(() => (current ?? delayed).request(method, params, call)),
    notify: (method, params) => Effect.suspend(() => (current ?? delayed).notify(method, params)),
    batch: (members, call) => Effect.suspend(() => (current ?? delayed).batch(members, call)),
    listen: (method, listener) => Effect.suspend(() => (current ?? delayed).listen(method, listener)),
    pause: pauses.pause,
    pipe: Prototype.pipe,
    state: Effect.sync(() => state),
    changes: Stream.takeUntil(Stream.fromPubSub(states), ({ _tag }) => _tag === "Closed"),
    connected: Effect.suspend(() => current === undefined ? Deferred.await(usable) : Effect.succeed(connections))
  }

  origins.set(service, { dialect, leave: (old) => old === connections && leave({ _tag: "ShuttingDown" }) })

  return { service, run, end }
}
