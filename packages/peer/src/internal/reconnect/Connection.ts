/**
 * One connection of a reconnecting caller, from its opening to its release.
 */
import type { Limits } from "@parley/protocol/Limits"
import * as Handshake from "@parley/transport/Handshake"
import { Backoff } from "@parley/transport/shared"
import { type Transport, TransportError } from "@parley/transport/Transport"
import * as Cause from "effect/Cause"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as Peer from "../../Peer.ts"
import { Disconnected, type DisconnectReason } from "../CallerError.ts"
import type { Pauses } from "./Pauses.ts"

/** @internal */
export interface Opening<R, R2> {
  readonly transport: Effect.Effect<Transport, TransportError, R>
  readonly peer: Peer.PeerOptions
  readonly onConnect: ((peer: Peer.Peer) => Effect.Effect<unknown, unknown, R2>) | undefined
  /** The pauses that hold on each connection. */
  readonly pauses: Pauses
  readonly limits: Limits
  /** Takes why no peer can be made of a transport. */
  readonly onDefect: (cause: unknown) => void
}

/** Opens a connection and makes it usable, within the time of a handshake. @internal */
export const open = <R, R2>({ limits, onConnect, onDefect, pauses, peer, transport }: Opening<R, R2>) =>
  Effect.gen(function*() {
    const connected = yield* transport
    let attached: Peer.Peer | undefined
    // It runs behind the end of the peer: a pause that is let go while that drains lets it go on.
    yield* Effect.addFinalizer(() => Effect.sync(() => attached && pauses.detach(attached)))
    // The other side is not the client for which we may have been asked to connect.
    const made = Effect.provideService(Peer.make(connected, { ...peer, start: "manual" }), Handshake.Current, undefined)
    const opened = yield* Effect.tapDefect(made, (cause) => Effect.sync(() => onDefect(cause)))
    pauses.attach(attached = opened)
    const lost = Effect.flatMap(opened.disconnected, (reason) => Effect.fail(new Disconnected({ reason, sent: false })))
    // It reads behind the first steps of `onConnect`, so that what these listen to is not missed.
    if (onConnect !== undefined) yield* Effect.raceFirst(onConnect(opened), Effect.andThen(opened.start, lost))
    yield* opened.start
    return (yield* opened.connected) ? opened : yield* lost
  }).pipe(Effect.timeoutOrElse({
    duration: limits.handshake,
    orElse: () => Effect.fail(new Error(`no connection within ${limits.handshake} ms`))
  }))

/**
 * Milliseconds in which handlers end that a lost connection still runs, before the next one is opened. Those that take
 * longer, or that a pause holds, go on beside it.
 *
 * @internal
 */
export const patience = 500

/** The end of a connection that is used no more. */
export interface Past {
  /** The milliseconds until the next attempt, or `undefined` where there is none. */
  readonly delay: number | undefined
  /** Waits until what still runs on it has ended, where the next one does not wait for that any more. */
  readonly drained?: Effect.Effect<unknown>
}

/** Runs a connection in a Scope of its own, which closes behind it: where it drains, in the Scope of its owner. */
export const released = <R>(
  live: Effect.Effect<Past, never, R>,
  owner: Scope.Scope
): Effect.Effect<Past, never, Exclude<R, Scope.Scope>> =>
  Effect.uninterruptibleMask((restore) => {
    const scope = Scope.makeUnsafe()
    const release = (how: Exit.Exit<unknown>) => Scope.close(scope, how)
    return Effect.flatMap(Effect.exit(restore(Scope.provide(live, scope))), (exit) => {
      if (Exit.isFailure(exit) || exit.value.drained === undefined) return Effect.andThen(release(exit), exit)
      const draining = Effect.onExit(exit.value.drained, release)
      // A fiber that is interrupted before it has started would release nothing.
      return Effect.as(Effect.forkIn(draining, owner, { startImmediately: true }), exit.value)
    })
  })

/** Why an attempt has failed: a failure of `onConnect`, a defect, or an attempt that takes too long, is the cause of an `Open`. @internal */
export const reasonOf = (cause: Cause.Cause<unknown>): DisconnectReason => {
  const error = Cause.squash(cause)
  return error instanceof Disconnected || error instanceof TransportError
    ? error.reason
    : { _tag: "Open", cause: error }
}

/**
 * The waits after a server that shut down in order: about half a second for 10 seconds, then as after any other end. Its
 * successor is expected within seconds, and a wait that doubled would outlast it by as long as it took. With the time to
 * connect, callers pause for less than a second more than nobody listens.
 *
 * @internal
 */
export const restarting: Schedule.Schedule<Duration.Duration> = Schedule.concat(
  Schedule.upTo(Backoff.make({ first: "100 millis", most: "500 millis" }), { duration: "10 seconds" }),
  Backoff.make({ first: "1 second", most: "10 seconds" })
)
