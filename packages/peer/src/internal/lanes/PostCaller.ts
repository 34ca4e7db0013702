/**
 * The caller over posts: a conversation with a lane per call. Each lane brings
 * the response to its own call; a side stream may bring any.
 */
import * as Dialect from "@parley/protocol/Dialect"
import * as Limits from "@parley/protocol/Limits"
import { Roster } from "@parley/transport/shared"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { Prototype } from "effect/Pipeable"
import type { Caller } from "../../Caller.ts"
import type { DisconnectReason } from "../CallerError.ts"
import { ConnectionKey } from "../conversation/ConnectionKey.ts"
import { Conversation } from "../conversation/Conversation.ts"
import { Intake } from "../conversation/Intake.ts"
import type { LaneCall } from "../conversation/Lane.ts"
import { TextReader } from "../conversation/TextReader.ts"
import { bounded, Traffic } from "../room/Room.ts"
import { Host, withoutHandshake } from "../runtime/Host.ts"
import { defaultTimeout } from "../timer/DeadlineQueue.ts"
import { PostLane, type Posts, SideLane } from "./PostLane.ts"
import { type CallerOptions, type CallingSide, type Exchange, Share } from "./PostWire.ts"

/** @internal */
export interface PostCaller extends CallingSide {
  /** Ends what waits and what runs, and waits for handlers. */
  readonly close: Effect.Effect<void>
}

/** @internal */
export const start = (exchange: Exchange, options: CallerOptions, context: Context.Context<never>): PostCaller => {
  const { cancel = "giveUp", dialect = Dialect.jsonRpc, router } = options
  const limits = Limits.make(options.limits)
  const timeout = defaultTimeout(options.timeout)
  const host = new Host(withoutHandshake(context), limits)
  const connection = new ConnectionKey()
  const conversation = new Conversation({ ...options, host, limits, connection })
  const { outgoing } = conversation

  /** Makes a call. Each text has a lane of its own. */
  const by = <A, E>(
    within: LaneCall | undefined,
    call: (lane: () => PostLane) => Effect.Effect<A, E>
  ): Effect.Effect<A, E> =>
    Effect.contextWith((context: Context.Context<never>) =>
      call(() => new PostLane(posts, context, within === undefined ? "call" : "nested"))
    )

  const callerWithin = (within?: LaneCall): Caller => ({
    request: (method, params, call) => by(within, (lane) => outgoing.request(lane(), within, method, params, call)),
    notify: (method, params) => by(within, (lane) => outgoing.notify(lane(), within, method, params)),
    batch: (members, call) => by(within, (lane) => outgoing.batch(lane, within, members, call)),
    listen: conversation.listen,
    pause: conversation.pause,
    pipe: Prototype.pipe
  })

  const posts: Posts = {
    exchange,
    conversation,
    context: Context.add(context, Share, "reply"),
    intake: new Intake(conversation, new TextReader(dialect, limits)),
    timeout,
    cancel,
    isServing: router !== undefined,
    callerWithin,
    live: new Roster.Roster(),
    traffic: new Traffic(bounded({ replies: limits.inFlight, mayWait: true, isWindowed: false }))
  }

  const side = new SideLane(posts, context, "call")

  const end = (reason: DisconnectReason) => {
    stopEvicting()
    conversation.end(reason)
    for (const lane of posts.live.all()) lane.interrupt()
  }
  const stopEvicting = conversation.host.budget.onEvict(() => end({ _tag: "Overrun" }))

  return {
    caller: callerWithin(),
    take: (text) => side.take(text),
    close: Effect.suspend(() => {
      end({ _tag: "Closed" })
      return Effect.andThen(conversation.closing({ _tag: "Closed" }), connection.settled)
    })
  }
}
