/**
 * The caller over posts: a conversation with a lane per call. Each lane brings
 * the response to its own call; a side stream may bring any.
 */
import * as Dialect from "@parley/protocol/Dialect"
import * as Limits from "@parley/protocol/Limits"
import * as Message from "@parley/protocol/Message"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { Prototype } from "effect/Pipeable"
import type { Caller } from "../../Caller.ts"
import * as CallerError from "../../CallerError.ts"
import { Conversation } from "../conversation/Conversation.ts"
import { TextReader } from "../conversation/TextReader.ts"
import { cancelText } from "../outgoing/CancelText.ts"
import { batchText, unbatched } from "../outgoing/OutgoingCalls.ts"
import * as Progress from "../outgoing/Progress.ts"
import { ContextHost } from "../runtime/Host.ts"
import { defaultTimeout } from "../timer/timeoutMillis.ts"
import { PostLane, type Posts, SideLane } from "./PostLane.ts"
import type { CallerOptions, CallingSide, Exchange } from "./PostWire.ts"

/** @internal */
export interface PostCaller extends CallingSide {
  /** Ends what waits and what runs, and waits for handlers. */
  readonly close: Effect.Effect<void>
}

/** @internal */
export const start = (exchange: Exchange, options: CallerOptions, context: Context.Context<never>): PostCaller => {
  const { dialect = Dialect.jsonRpc, router } = options
  const limits = Limits.make(options.limits)
  const timeout = defaultTimeout(options.timeout)
  const reader = new TextReader(dialect, limits)
  let replies = 0

  const conversation = new Conversation({
    host: new ContextHost(context, limits),
    dialect,
    limits,
    router,
    timeout
  })
  const { host, listeners, outgoing } = conversation

  /** Posts a text whose answer nobody waits for. */
  const discharge = (context: Context.Context<never>, text: string, onEnd?: () => void) => {
    const lane = new PostLane(posts, context, false, (exit) => {
      if (Exit.isFailure(exit) && conversation.reason === undefined) {
        host.log("a response or a cancellation could not be posted", exit.cause)
      }
      onEnd?.()
    })
    lane.write(text)
    lane.expireIn(limits.writeStall)
  }

  const posts: Posts = {
    exchange,
    conversation,
    caller: () => caller,
    live: new Set(),
    take: (text, from) => {
      const decoded = reader.read(text)
      const take = (): undefined => {
        if (conversation.reason !== undefined) return
        conversation.intake.take(decoded, from)
        conversation.step()
      }
      const room = conversation.room(decoded, from)
      return room === undefined ? take() : Effect.andThen(room, Effect.sync(take))
    },
    reply: (text) => {
      if (conversation.reason !== undefined || router === undefined) return
      replies++
      discharge(context, text, () => {
        replies--
        conversation.step()
      })
    },
    isCongested: () => replies >= limits.inFlight,
    tell: (call, context) => {
      if (options.cancel !== "notify" || conversation.reason !== undefined) return
      const text = cancelText(dialect.cancellation, call)
      if (text !== undefined) discharge(context, text)
    }
  }

  /** Sends a text that has no response. It has ended when its post has. */
  const send = (method: string, textOf: () => string): Effect.Effect<void, CallerError.NotifyError> =>
    Effect.contextWith((context: Context.Context<never>) =>
      Effect.callback((resume) => {
        const closed = (sent: boolean) => Exit.fail(new CallerError.Disconnected({ reason: { _tag: "Closed" }, sent }))
        if (conversation.reason !== undefined) return resume(closed(false))
        const lane = new PostLane(posts, context, false, (exit) => {
          const failure = Exit.isSuccess(exit) ? undefined : lane.failureOf(exit, method)
          const isTaken = failure === undefined || failure._tag === "InvalidResponse"
          resume(isTaken ? Exit.void : conversation.reason === undefined ? Exit.fail(failure) : closed(true))
        })
        try {
          lane.write(textOf())
        } catch (cause) {
          return resume(Exit.fail(new CallerError.InvalidArguments({ method, cause })))
        }
        lane.expireIn(timeout)
        return lane.withdrawn
      })
    )

  /** Makes a call by a lane of its own. */
  const by = <A, E>(call: (lane: PostLane) => Effect.Effect<A, E>, isStreaming = false): Effect.Effect<A, E> =>
    Effect.contextWith((context: Context.Context<never>) => call(new PostLane(posts, context, isStreaming)))

  const caller: Caller = {
    request: (method, params, call) =>
      by(
        (lane) => outgoing.request(lane, undefined, method, params, call),
        call?.onPartialResult !== undefined && Progress.asksPartialResults(dialect, params)
      ),
    notify: (method, params) => send(method, () => Message.notificationText(method, params)),
    batch: (members, call) => {
      if (dialect.batches === "refuse") {
        return unbatched(
          members,
          ({ extra, method, params }) => send(method, () => Message.notificationText(method, params, extra)),
          ({ extra, method, params }) => caller.request(method, params, { ...call, extra })
        )
      }
      const isSilent = members.length > 0 && members.length <= limits.batch &&
        members.every(({ notification }) => notification === true)
      return isSilent
        ? Effect.as(send("a batch", () => batchText(members, [])), members.map(() => undefined))
        : by((lane) => outgoing.batch(lane, undefined, members, call))
    },
    listen: (method, listener) => listeners.listen(method, listener),
    pause: () => conversation.pause(),
    pipe: Prototype.pipe
  }

  const side = new SideLane(posts)

  return {
    caller,
    take: (text) => posts.take(text, side),
    close: Effect.suspend(() => {
      conversation.end({ _tag: "Closed" })
      for (const lane of [...posts.live]) lane.interrupt()
      return conversation.closing({ _tag: "Closed" })
    })
  }
}
