/**
 * One notification to many connections: who is there, alone and in groups, and a
 * bounded queue for each, so that nobody waits for one that does not read.
 *
 * A recipient is told in the order of what is published, and its queue stands
 * before the outbox of its connection: while little waits there, a text is
 * written at once. The text is written once for all.
 *
 * `Feed` does the same for the streams of subscriptions.
 *
 * ```ts run
 * import { Broadcast, Peer, Router } from "@parley/peer"
 * import { MemoryTransport } from "@parley/transport"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const everyone = yield* Broadcast.make<string>()
 *   const router = yield* Router.make()
 *   // The connection of a call joins, and leaves when it ends.
 *   yield* router.add("join", (call) => Effect.asVoid(Effect.orDie(everyone.join(call, "Ada"))))
 *
 *   const [near, far] = yield* MemoryTransport.makePair()
 *   yield* Peer.make(far, { router })
 *   const heard = yield* Router.make()
 *   yield* heard.add("news", ({ params }) => Effect.sync(() => console.log(params)))
 *   const peer = yield* Peer.make(near, { router: heard })
 *
 *   yield* peer.request("join")
 *   console.log((yield* everyone.recipients).map(({ value }) => value)) // => [ 'Ada' ]
 *   yield* everyone.notify("news", ["lunch is ready"])
 *   yield* peer.request("join") // => [ 'lunch is ready' ]
 * })
 *
 * await Effect.runPromise(Effect.scoped(program))
 * ```
 *
 * @since 0.1.0
 */
import * as Limits from "@parley/protocol/Limits"
import type * as Message from "@parley/protocol/Message"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { ErrorResponse } from "./ErrorResponse.ts"
import * as Responses from "./ErrorResponse.ts"
import * as Audience from "./internal/broadcast/Audience.ts"
import type { Change } from "./internal/broadcast/Change.ts"
import type { Counts } from "./internal/broadcast/Counter.ts"
import { Notice, PeerRecipient } from "./internal/broadcast/PeerRecipient.ts"
import { changes } from "./internal/broadcast/Presence.ts"
import type { BroadcastOptions } from "./internal/broadcast/Rules.ts"
import { Disconnected, InvalidArguments } from "./internal/CallerError.ts"
import { ConnectionKey } from "./internal/conversation/ConnectionKey.ts"

export type { Change, Leaving } from "./internal/broadcast/Change.ts"
export type { Counts } from "./internal/broadcast/Counter.ts"
export {
  type BroadcastLimits,
  type BroadcastOptions,
  defaultLimits,
  type SlowPolicy
} from "./internal/broadcast/Rules.ts"

/**
 * Whose connection joins: a call, or the peer that `onConnection` was given.
 *
 * @category models
 * @since 0.1.0
 */
export interface Connected {
  /** The key of the connection. */
  readonly connection: object | undefined
}

/**
 * One of those who are told.
 *
 * @category models
 * @since 0.1.0
 */
export interface Recipient<out A> {
  /** The value that it joined with, such as a name or a principal. */
  readonly value: A
  /** Tells this one alone, behind what was published before. Fails where it is no recipient any more. */
  readonly notify: (
    method: string,
    params?: Message.Params | undefined
  ) => Effect.Effect<void, InvalidArguments | Disconnected>
  /**
   * Lets it hear what is published to a group as well. It leaves all groups when it leaves. Fails where it is in as many
   * groups as `limits.groups` says.
   */
  readonly enter: (group: string) => Effect.Effect<void, ErrorResponse>
  /** Takes it out of a group. */
  readonly exit: (group: string) => Effect.Effect<void>
  /** Ends its membership, and drops what waits for it. Its connection stays open. */
  readonly leave: Effect.Effect<void>
  /** The counts of what was published to it. */
  readonly counts: Effect.Effect<Counts>
}

/**
 * Those who are told together: all recipients of a broadcast, or those of a group.
 *
 * @category models
 * @since 0.1.0
 */
export interface Group<out A> {
  /**
   * Tells each of them, and waits for none. The cost grows with their number. Each is told what was published in its
   * order. Where much was published in one turn of the event loop, it goes on in the next, so that they can take some.
   * Fails where the params have no JSON text, or their text is larger than `Limits.defaults.frame`. For one whose
   * connection has smaller frames, a larger text is dropped.
   */
  readonly notify: (method: string, params?: Message.Params | undefined) => Effect.Effect<void, InvalidArguments>
  /** Those who are there now, in the order in which they came. */
  readonly recipients: Effect.Effect<ReadonlyArray<Recipient<A>>>
  /** How many are there now. */
  readonly size: Effect.Effect<number>
  /**
   * First those who are there, each as `Joined`, and then who comes and goes. It fails with `ErrorResponse.lagged` where
   * its consumer is too slow, and ends with the broadcast.
   */
  readonly changes: Stream.Stream<Change<Recipient<A>>, ErrorResponse>
}

/**
 * One notification to many connections.
 *
 * @category models
 * @since 0.1.0
 */
export interface Broadcast<in out A> extends Group<A> {
  /**
   * Makes a connection a recipient until it ends. It may join with a value, such as a principal. One that joins again
   * begins anew: its membership before ends. Fails where the connection has ended, and with the reason `NoPeer` where the
   * call has no connection that could be written to, as over HTTP.
   */
  readonly join: (
    ...args: [A] extends [void] ? [connected: Connected, value?: A] : [connected: Connected, value: A]
  ) => Effect.Effect<Recipient<A>, Disconnected>
  /** The recipient that the connection of a call or a peer is. */
  readonly recipientOf: (connected: Connected) => Option.Option<Recipient<A>>
  /** Those of a group, which exists while somebody is in it. */
  readonly in: (group: string) => Group<A>
  /** The counts of what was published, for all recipients there have been. */
  readonly counts: Effect.Effect<Counts>
}

/**
 * A broadcast. When its Scope closes, nobody is a recipient any more.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = <A = void>(options: BroadcastOptions = {}): Effect.Effect<Broadcast<A>, never, Scope.Scope> =>
  Effect.map(Audience.make<Notice, Recipient<A>>(options), start)

const start = <A>(audience: Audience.Audience<Notice, Recipient<A>>): Broadcast<A> => {
  const byConnection = new WeakMap<object, PeerRecipient<Recipient<A>>>()

  const groupOf = (name?: string): Group<A> => ({
    notify: (method, params) =>
      Effect.suspend(() =>
        Effect.flatMapEager(noticeOf(method, params, Limits.defaults.frame), (notice) => audience.publish(name, notice))
      ),
    recipients: Effect.sync(() => audience.facesOf(name)),
    size: Effect.sync(() => audience.sizeOf(name)),
    changes: changes(audience, name)
  })

  /** Tells one, who may have left before there is a turn for it. */
  const tell = (recipient: PeerRecipient<Recipient<A>>, method: string, notice: Notice) =>
    audience.line.inTurn(() => {
      if (recipient.isOver) return Effect.fail(new Disconnected({ method, reason: recipient.reason, sent: false }))
      audience.line.tell(() => recipient.offer(notice))
      return Effect.void
    })

  const faceOf = (recipient: PeerRecipient<Recipient<A>>, value: A): Recipient<A> => ({
    value,
    notify: (method, params) =>
      Effect.suspend(() =>
        Effect.flatMapEager(noticeOf(method, params, recipient.frame), (notice) => tell(recipient, method, notice))
      ),
    enter: (group) =>
      Effect.suspend(() =>
        audience.isFullOf(recipient, group)
          ? Effect.fail(Responses.make(-32000, "Too many groups"))
          : Effect.succeed(audience.enter(recipient, group))
      ),
    exit: (group) => Effect.sync(() => audience.exit(recipient, group)),
    leave: Effect.sync(() => audience.remove(recipient, "left")),
    counts: Effect.sync(() => recipient.counts)
  })

  return {
    ...groupOf(),
    join: ({ connection }, value?) =>
      Effect.suspend(() => {
        const outlet = connection instanceof ConnectionKey ? connection.outlet : undefined
        const reason = outlet === undefined ? noPeer : audience.isClosed ? closed : outlet.reason
        if (connection === undefined || outlet === undefined || reason !== undefined) {
          return Effect.fail(new Disconnected({ reason: reason ?? noPeer, sent: false }))
        }
        const before = byConnection.get(connection)
        if (before !== undefined) audience.remove(before, "left")
        // A value may be left out only where it is `undefined`.
        const face = (recipient: PeerRecipient<Recipient<A>>) => faceOf(recipient, value as A)
        const recipient = new PeerRecipient(audience, outlet, face, () => byConnection.delete(connection))
        byConnection.set(connection, recipient)
        audience.enter(recipient)
        return Effect.succeed(recipient.face)
      }),
    recipientOf: ({ connection }) =>
      Option.map(Option.fromUndefinedOr(connection && byConnection.get(connection)), ({ face }) => face),
    in: groupOf,
    counts: Effect.sync(() => audience.counter.counts)
  }
}

const noPeer = { _tag: "NoPeer" } as const
const closed = { _tag: "Closed" } as const

/** Writes a notification. */
const noticeOf = (
  method: string,
  params: Message.Params | undefined,
  frame: number
): Exit.Exit<Notice, InvalidArguments> => {
  try {
    return Exit.succeed(new Notice(method, params, frame))
  } catch (cause) {
    return Exit.fail(new InvalidArguments({ method, cause }))
  }
}
