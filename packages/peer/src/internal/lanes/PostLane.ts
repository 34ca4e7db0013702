/**
 * The lane of one post: it is sent once, brings the responses to its own calls,
 * and may bring requests and notifications of the other side beside them.
 */
import { Weight } from "@parley/protocol/shared"
import type { Roster } from "@parley/transport/shared"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type { Caller } from "../../Caller.ts"
import type { Entry, Outcome, Waiting } from "../../Correlator.ts"
import type { Call } from "../../Handler.ts"
import * as CallerError from "../CallerError.ts"
import { callContext } from "../conversation/CallContext.ts"
import type { Conversation } from "../conversation/Conversation.ts"
import type { Intake } from "../conversation/Intake.ts"
import type { Answers, Lane, LaneCall, OnWritten, Share as LaneShare } from "../conversation/Lane.ts"
import type { Decoded } from "../conversation/TextReader.ts"
import type { Deferral } from "../incoming/IncomingCall.ts"
import type { Traffic } from "../room/Room.ts"
import { Timer } from "../timer/DeadlineQueue.ts"
import { type Ending, type Exchange, type ExchangeError, Share } from "./PostWire.ts"

/** What the lanes of one caller over posts share. @internal */
export interface Posts {
  readonly exchange: Exchange
  readonly conversation: Conversation
  /** Replies of ours are posted with these services. */
  readonly context: Context.Context<never>
  readonly intake: Intake
  /** Milliseconds that a post without calls may take. */
  readonly timeout: number
  readonly cancel: "giveUp" | "notify"
  /** Whether the other side may call. */
  readonly isServing: boolean
  /** The caller for the handler of a call. */
  readonly callerWithin: (call: LaneCall) => Caller
  /** The lanes whose posts have not ended. */
  readonly live: Roster.Roster<PostLane>
  /** Each post is served by itself, and HTTP bounds how many go at once: only replies are counted, as texts. */
  readonly traffic: Traffic
}

/** What the budget counts for a reply that is being posted, beside its text: a fiber, and a request of the wire. */
const postWeight = 8_192

/** Milliseconds that a post may go on when its calls have ended, so that its connection can be used again. */
const linger = 1_000

/** @internal */
export class PostLane implements Lane, Answers, Roster.Linked<PostLane> {
  readonly answers: Answers = this
  readonly traffic: Traffic
  readonly calls: Array<Entry> = []
  earlier: PostLane | undefined = undefined
  later: PostLane | undefined = undefined
  protected readonly posts: Posts
  readonly #context: Context.Context<never>
  readonly #share: Share
  readonly #timer = new Timer(() => {
    this.#isOverdue = true
    this.#fiber?.interruptUnsafe()
  })
  /** Absent before it runs, and when it has ended. */
  #fiber: Fiber.Fiber<Ending, ExchangeError> | undefined = undefined
  /** How many of its calls have ended by an outcome. */
  #ended = 0
  /** The first rule that an answer has broken. */
  #rule: string | undefined = undefined
  #isOverdue = false
  /** Whether its calls are answered. */
  #isLingering = false
  /** Whether a text that came waits for room. */
  #isHolding = false

  /** The post runs with the services of its call. */
  constructor(posts: Posts, context: Context.Context<never>, share: Share) {
    this.posts = posts
    this.traffic = posts.traffic
    this.#context = context
    this.#share = share
  }

  write(text: string, share: LaneShare, onWritten?: OnWritten): number {
    const { conversation, exchange, live, timeout } = this.posts
    live.add(this)
    const post = Effect.suspend(() => exchange.post(text, (text) => this.take(text)))
    const fiber = Effect.runForkWith(sharing(this.#context, share === "reply" ? share : this.#share))(post)
    this.#fiber = fiber
    fiber.addObserver((exit) => {
      this.#fiber = undefined
      live.delete(this)
      conversation.host.timers.cancel(this.#timer)
      if (Exit.isFailure(exit) && Cause.hasDies(exit.cause)) {
        conversation.host.log(`the exchange of ${this.#name} failed in a way it does not declare`, exit.cause)
      }
      this.#failAll(exit)
      if (share === "reply" && Exit.isFailure(exit) && conversation.reason === undefined) {
        conversation.host.log("the `Exchange` could not post a response or a cancellation of ours", exit.cause)
      }
      onWritten?.(this.#writtenBy(exit))
      conversation.step()
    })
    if (share === "reply") this.#expireIn(conversation.limits.writeStall)
    else if (onWritten !== undefined) this.#expireIn(timeout)
    return 0
  }

  /** Fails the calls that nothing has answered. */
  #failAll(exit: Exit.Exit<Ending, ExchangeError>): void {
    const { ours } = this.posts.conversation
    for (const call of this.calls) {
      if (ours.isWaiting(call)) ours.fail(call, this.#failureOf(exit, ours.named(call)))
    }
  }

  /** The answer to a call that came by it is a post of its own. */
  settle(reply: string | undefined, after?: ReadonlyArray<Deferral>): void {
    const { posts } = this
    if (reply !== undefined && posts.isServing && posts.conversation.reason === undefined) {
      const { budget } = posts.conversation.host
      const weight = postWeight + Weight.ofWaiting(reply)
      posts.traffic.replies++
      budget.take(weight)
      new PostLane(posts, posts.context, "reply").write(reply, "reply", () => {
        posts.traffic.replies--
        budget.take(-weight)
      })
    }
    if (after !== undefined) posts.conversation.theirs.runBehind(after)
  }

  contextOf(call: LaneCall): Call {
    return callContext(this.posts.conversation, call, this.posts.callerWithin(call), true)
  }

  /** Takes a text that came back. Where it gives an effect, nothing more is read before that has ended. */
  take(text: string): Effect.Effect<void> | undefined {
    const { conversation, intake } = this.posts
    const take = (decoded: Decoded): void => {
      if (conversation.reason !== undefined) return
      intake.take(decoded, this)
      conversation.step()
    }
    const arrival = intake.arrival(text, this)
    const arrived = arrival()
    if (arrived !== undefined) return void take(arrived)
    const taken = Effect.callback<void>((resume) => {
      const leave = intake.whenRoom(arrival, (decoded) => {
        take(decoded)
        resume(Effect.void)
      })
      return leave && Effect.sync(leave)
    })
    return Effect.suspend(() => {
      this.#hold(true)
      return Effect.ensuring(taken, Effect.sync(() => this.#hold(false)))
    })
  }

  #hold(isHolding: boolean): void {
    this.#isHolding = isHolding
    this.#linger()
  }

  /** Gives the rest of an answered post a while, which does not pass while a text that came waits for room. */
  #linger(): void {
    if (!this.#isLingering || this.#fiber === undefined) return
    this.posts.conversation.host.timers.cancel(this.#timer)
    if (!this.#isHolding) this.#expireIn(linger)
  }

  /** Gives the post up if it has not ended after so many milliseconds. */
  #expireIn(milliseconds: number): void {
    if (this.#fiber === undefined || milliseconds === Number.POSITIVE_INFINITY) return
    this.posts.conversation.host.timers.set(this.#timer, milliseconds)
  }

  get #open(): number {
    return this.calls.length - this.#ended
  }

  interrupt(): void {
    this.#fiber?.interruptUnsafe()
  }

  /** A response belongs to the post that it came with. */
  get awaited(): number | undefined {
    return this.calls.every(({ onPartialResult }) => onPartialResult === undefined) ? this.#open : 0
  }

  misfit(rule: string): void {
    this.#rule ??= rule
  }

  /** An interruption gives up the post, and waits until it has ended. */
  expired(call?: Waiting): Effect.Effect<void> {
    const { cancel, conversation } = this.posts
    if (call !== undefined && cancel === "notify") {
      conversation.cancel(call, new PostLane(this.posts, this.#context, this.#share))
    }
    return Effect.suspend(() => this.#fiber === undefined ? Effect.void : Fiber.interrupt(this.#fiber))
  }

  /** Gives the post up when its last call has ended: at once, or a while after the response. */
  ended(outcome: Outcome): void {
    this.#ended++
    if (this.#open > 0) return
    if (!isAnswered(outcome)) return this.interrupt()
    this.#isLingering = true
    // Most posts end in this turn. A post that answers at once has no fiber yet.
    queueMicrotask(() => this.#linger())
  }

  /** What comes back for a text without a response is not looked at. */
  #writtenBy(exit: Exit.Exit<Ending, ExchangeError>): Parameters<OnWritten>[0] {
    const failure = Exit.isSuccess(exit) ? undefined : this.#failureOf(exit, { method: "" })
    return failure === undefined || failure._tag === "InvalidResponse" ? Exit.void : Exit.fail(failure)
  }

  /** What was posted, for our log. */
  get #name(): string {
    const [first, ...others] = this.calls
    if (first === undefined) return "a notification or a reply"
    return others.length === 0
      ? CallerError.nameOf(this.posts.conversation.ours.named(first))
      : `a batch of ${this.calls.length} calls`
  }

  /** The error of a call whose post ended before its response came. */
  #failureOf(
    exit: Exit.Exit<Ending, ExchangeError>,
    call: CallerError.Called
  ): CallerError.Disconnected | CallerError.HttpStatusError | CallerError.InvalidResponse {
    const { reason } = this.posts.conversation
    const lost = (reason: CallerError.DisconnectReason) => new CallerError.Disconnected({ ...call, reason, sent: true })
    if (Exit.isSuccess(exit)) {
      // Where we have ended, its response may have come, and was not read.
      return this.#rule !== undefined || (reason === undefined && exit.value === "answer")
        ? new CallerError.InvalidResponse({ ...call, rule: this.#rule ?? "no response came" })
        : lost(reason ?? { _tag: "EndOfInput" })
    }
    const error = exit.cause.reasons.find(Cause.isFailReason)?.error
    if (error?._tag === "BadAnswer") {
      const { excerpt, rule } = error
      return new CallerError.InvalidResponse({ ...call, rule, ...(excerpt !== undefined && { excerpt }) })
    }
    if (reason !== undefined) return lost(reason)
    if (error !== undefined) return CallerError.ofCall(error, call)
    const cause = this.#isOverdue ? new Error("there was no answer in time") : Cause.squash(exit.cause)
    return lost({ _tag: "Lost", cause })
  }
}

/** The lane of a stream that belongs to no call. Its responses may end any call, and nothing is written by it. @internal */
export class SideLane extends PostLane {
  override get awaited(): undefined {
    return undefined
  }

  override misfit(rule: string): void {
    const what = `dropped a text of the side stream that is no message: ${rule}`
    this.posts.conversation.host.log(what, Cause.empty)
  }
}

/** Services with a share. Those of most calls have it already. */
const sharing = (context: Context.Context<never>, share: Share): Context.Context<never> =>
  Context.get(context, Share) === share ? context : Context.add(context, Share, share)

/** Whether the other side has said how a call ended. */
const isAnswered = (outcome: Outcome): boolean => {
  if (Exit.isSuccess(outcome)) return true
  const failure = outcome.cause.reasons.find(Cause.isFailReason)
  return failure?.error._tag === "RemoteError" || failure?.error._tag === "InvalidResponse"
}
