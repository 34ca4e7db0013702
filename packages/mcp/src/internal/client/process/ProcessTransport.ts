/**
 * The transport of a client to a server that it starts: one process after the other.
 *
 * ```
 *   running ──it ends──→ ended ──next request, and no session──→ waiting ──schedule──→ running
 *                          └── next request of a session ──→ SessionExpired: the client shakes hands again
 * ```
 *
 * A request that was under way when the process ended fails with `Disconnected`: it may have happened. A request that
 * was not sent goes to the next process. The first start belongs to `open`, every later one to the request that needs it.
 */
import type { Caller, NotificationListener } from "@parley/peer/Caller"
import { Disconnected, type DisconnectReason } from "@parley/peer/CallerError"
import * as Peer from "@parley/peer/Peer"
import type { Transport } from "@parley/transport/Transport"
import type { TransportError } from "@parley/transport/TransportError"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Pull from "effect/Pull"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import { SessionExpired } from "../../../client/McpClientError.ts"
import type { Host, McpClientTransport } from "../../../client/McpClientTransport.ts"
import * as Network from "../../../wire/Network.ts"
import type { RevisionCodec } from "../../../wire/RevisionCodec.ts"
import * as SharedRun from "../negotiation/SharedRun.ts"

/** @internal */
export interface Options<R> {
  /** Starts a process; it ends with the Scope. */
  readonly start: Effect.Effect<Transport, TransportError, R | Scope.Scope>
  /** How long to wait before the next start. It begins anew after a process that was steady. */
  readonly schedule: Schedule.Schedule<unknown>
}

/** Milliseconds that a process must have run for its end to be no failure. */
const steady = 5_000

interface Running {
  readonly peer: Peer.Peer
  readonly scope: Scope.Closeable
  /** Done when it is known that the process has ended, and when the next one may start. */
  readonly left: Deferred.Deferred<void>
}

interface Listening {
  readonly method: string
  readonly listener: NotificationListener
}

/** @internal */
export const open = Effect.fnUntraced(function*<R>(
  { schedule, start }: Options<R>,
  host: Host
): Effect.fn.Return<McpClientTransport, Disconnected, R | Scope.Scope> {
  const scope = yield* Effect.scope
  const context = yield* Effect.context<R>()
  const listening = new Set<Listening>()
  const over = Deferred.makeUnsafe<DisconnectReason>()
  let step = yield* Schedule.toStep(schedule)
  let codec: RevisionCodec | undefined
  let running: Running | undefined
  /** Waits until the next process may start: the last one is gone, and some time has passed. */
  let mayStart: Effect.Effect<void, Disconnected> = Effect.void

  const listen = ({ peer, scope }: Running, { listener, method }: Listening) =>
    Effect.ignore(Scope.provide(peer.listen(method, { ...listener, end: () => {} }), scope))

  /** Waits for the time of the next start, which the schedule tells now. */
  const pause = Effect.fnUntraced(function*(reason: DisconnectReason, lived: number) {
    if (lived >= steady) step = yield* Schedule.toStep(schedule)
    const now = yield* Clock.currentTimeMillis
    const delay = yield* step(now, reason).pipe(
      Effect.map(([, delay]) => Duration.toMillis(delay)),
      Pull.catchDone(() => Effect.undefined)
    )
    if (delay !== undefined) {
      return Effect.flatMap(Clock.currentTimeMillis, (later) => Effect.sleep(Math.max(0, now + delay - later)))
    }
    Deferred.doneUnsafe(over, Effect.succeed(reason))
    return Effect.fail(new Disconnected({ reason, sent: false }))
  })

  /** Hears the end of a process. */
  const watch = ({ left, peer, scope }: Running, began: number) =>
    Effect.gen(function*() {
      const reason = yield* peer.disconnected
      const gone = Deferred.makeUnsafe<void>()
      const paused = yield* pause(reason, (yield* Clock.currentTimeMillis) - began)
      mayStart = Effect.andThen(Deferred.await(gone), paused)
      running = undefined
      Deferred.doneUnsafe(left, Effect.void)
      if (codec?.era === "legacy") host.onSessionExpired()
      yield* Effect.ensuring(Scope.close(scope, Exit.void), Deferred.succeed(gone, undefined))
    })

  const begin = Effect.gen(function*() {
    yield* mayStart
    const inner = yield* Scope.fork(scope)
    const made = Effect.flatMap(start, (transport) => Peer.make(transport, host))
    const peer = yield* Scope.provide(made, inner).pipe(
      Effect.onExit((exit) => Exit.isSuccess(exit) ? Effect.void : Scope.close(inner, exit)),
      Effect.catch(({ reason }) =>
        Effect.flatMap(pause(reason, 0), (paused) => {
          mayStart = paused
          return Effect.fail(new Disconnected({ reason, sent: false }))
        })
      )
    )
    running = { peer, scope: inner, left: Deferred.makeUnsafe() }
    for (const one of listening) yield* listen(running, one)
    yield* Effect.forkIn(watch(running, yield* Clock.currentTimeMillis), scope, { startImmediately: true })
    return peer
  })

  const started = SharedRun.make(scope, Effect.provideContext(begin, context))

  /** The process that runs, or the next one. */
  const peer: Effect.Effect<Peer.Peer, Disconnected> = Effect.suspend(() =>
    running === undefined ? started : Effect.succeed(running.peer)
  )

  const send = <A, E extends { readonly _tag: string }>(
    method: string,
    make: (to: Caller) => Effect.Effect<A, E | Disconnected>
  ): Effect.Effect<A, E | Disconnected | SessionExpired> =>
    Effect.suspend(() => {
      const to = running
      if (to === undefined) return next(method, make)
      return Effect.catch(
        make(to.peer),
        (error) =>
          error instanceof Disconnected && !error.sent && error.reason._tag !== "Closed"
            ? Effect.andThen(Deferred.await(to.left), next(method, make))
            : Effect.fail(error)
      )
    })

  const next = <A, E>(method: string, make: (to: Caller) => Effect.Effect<A, E>) =>
    Effect.suspend((): Effect.Effect<A, E | Disconnected | SessionExpired> =>
      codec?.era === "legacy" ? Effect.fail(new SessionExpired({ method })) : Effect.flatMap(peer, make)
    )

  yield* peer

  return {
    kind: "process",
    network: Network.stdio,
    request: (method, params, options) => send(method, (to) => to.request(method, params, options)),
    notify: (method, params) => send(method, (to) => to.notify(method, params)),
    listen: (method, listener) =>
      Effect.acquireRelease(
        Effect.suspend(() => {
          const one = { method, listener }
          listening.add(one)
          return Effect.as(running === undefined ? Effect.void : listen(running, one), one)
        }),
        (one) => Effect.sync(() => listening.delete(one))
      ),
    settle: (settled) =>
      Effect.sync(() => {
        codec = settled
      }),
    disconnected: Deferred.await(over)
  }
})
