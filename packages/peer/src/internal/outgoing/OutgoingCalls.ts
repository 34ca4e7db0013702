/**
 * The calls of ours on their way out: each is registered, written when there is
 * room, and withdrawn when its caller is interrupted.
 */
import * as Batch from "@parley/protocol/Batch"
import * as Message from "@parley/protocol/Message"
import * as Effect from "effect/Effect"
import * as Effectable from "effect/Effectable"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { CallOptions, Member } from "../../Caller.ts"
import { type CallGroup, Entry, type Outcome } from "../../Correlator.ts"
import * as CallerError from "../CallerError.ts"
import type { Core } from "../conversation/Core.ts"
import type { Lane, LaneCall, OnWritten } from "../conversation/Lane.ts"
import { isTooLarge } from "../incoming/ReplyText.ts"
import { type Line, ParkedCalls } from "../room/ParkedCalls.ts"
import { timeoutMillis } from "../timer/DeadlineQueue.ts"
import * as Progress from "./Progress.ts"

/** How a member of a batch ended; `undefined` for a notification. */
type MemberOutcome = Result.Result<Schema.Json, CallerError.CallError> | undefined

/** A text that goes out when there is room, with its calls: those of a batch, or none. */
interface OutgoingText extends CallGroup {
  /** Names it in errors. */
  readonly method: string
  readonly text: () => string
}

const none: ReadonlyArray<Entry> = []

const lineOf = (isWindowed: boolean): Line => isWindowed ? "windowed" : "free"

/** @internal */
export class OutgoingCalls {
  /** The batches that have requests without a response, if there was one: most conversations over HTTP make no call. */
  batches: Set<CallGroup> | undefined = undefined
  /** The lanes on which calls have waited for room, if there was one. */
  crowded: Set<Lane> | undefined = undefined
  readonly #conversation: Core
  /** Milliseconds that a call waits when it does not say so. */
  readonly #timeout: number

  constructor(conversation: Core, timeout: number) {
    this.#conversation = conversation
    this.#timeout = timeout
  }

  request(
    lane: Lane,
    within: LaneCall | undefined,
    method: string,
    params: Message.Params | undefined,
    call: CallOptions | undefined
  ): Effect.Effect<Schema.Json, CallerError.CallError> {
    return Effect.callback((resume) => {
      const { dialect, limits, ours } = this.#conversation
      const reason = this.#goneFor(lane)
      if (reason !== undefined) return resume(Exit.fail(unsent(reason, { method })))
      if (ours.size >= limits.waiting) {
        return resume(Exit.fail(new CallerError.Overloaded({ limit: limits.waiting })))
      }
      const millis = timeoutMillis(call?.timeout ?? this.#timeout)
      // Params without a place for the token ask for no partial results: then only the response comes.
      const onPartialResult = call?.onPartialResult !== undefined && Progress.asksPartialResults(dialect, params)
        ? call.onPartialResult
        : undefined
      const entry = ours.begin(lane, method, millis, resume, call, onPartialResult)
      lane.answers?.calls.push(entry)
      try {
        call?.onId?.(ours.idOf(entry))
      } catch (defect) {
        ours.forget(entry)
        return resume(Exit.die(defect))
      }
      // A call with a timeout of 0 has ended already.
      if (millis === 0 && !ours.isWaiting(entry)) return
      if (within !== undefined) this.#conversation.park(within)
      const isWindowed = within === undefined && lane.traffic.bounds.isWindowed
      if (this.#mayPass(lane, isWindowed)) this.#write(lane, entry, isWindowed, params, call?.extra)
      else {
        this.park(lane, entry, lineOf(isWindowed), () => {
          // Each call that waits keeps everything that this captures.
          const { ours } = this.#conversation
          const reason = this.#conversation.closedFor(lane)
          if (reason !== undefined) ours.fail(entry, unsent(reason, ours.named(entry)))
          else if (ours.isWaiting(entry)) this.#write(lane, entry, isWindowed, params, call?.extra)
        })
      }
      this.#conversation.stepIfAwaited()
      return new Withdrawal(this, lane, entry)
    })
  }

  notify(
    lane: Lane,
    within: LaneCall | undefined,
    method: string,
    params: Message.Params | undefined,
    extra?: Schema.JsonObject
  ): Effect.Effect<void, CallerError.NotifyError> {
    const text = () => Message.notificationText(method, params, extra, this.#conversation.form)
    return Effect.callback((resume) => this.#send(lane, within, { method, calls: none, text }, resume))
  }

  /** Where the dialect has no batches, each member goes by a lane of its own. */
  batch(
    laneFor: () => Lane,
    within: LaneCall | undefined,
    members: ReadonlyArray<Member>,
    call: Pick<CallOptions, "timeout"> | undefined
  ): Effect.Effect<ReadonlyArray<MemberOutcome>, CallerError.NotifyError> {
    const { dialect, limits, ours } = this.#conversation
    if (members.length === 0) return Effect.succeed([])
    if (dialect.batches !== "accept") {
      return Effect.forEach(
        members,
        ({ exact, extra, method, notification, params }): Effect.Effect<MemberOutcome, CallerError.NotifyError> =>
          notification === true
            ? Effect.as(this.notify(laneFor(), within, method, params, extra), undefined)
            : Effect.result(this.request(laneFor(), within, method, params, { ...call, exact, extra })),
        { concurrency: "unbounded" }
      )
    }
    if (members.length > limits.batch) {
      const cause = new RangeError(
        `a batch may have at most ${limits.batch} members, and this one has ${members.length}`
      )
      return Effect.fail(new CallerError.InvalidArguments({ ...CallerError.aBatch, cause }))
    }
    const lane = laneFor()
    return Effect.callback((resume) => {
      const reason = this.#goneFor(lane)
      if (reason !== undefined) return resume(Exit.fail(unsent(reason, CallerError.aBatch)))
      const requests = members.filter(({ notification }) => notification !== true).length
      if (ours.size + requests > limits.waiting) {
        const refused = Result.fail(new CallerError.Overloaded({ limit: limits.waiting }))
        return resume(Exit.succeed(members.map(() => refused)))
      }
      const outcomes: Array<MemberOutcome> = members.map(() => undefined)
      const calls: Array<Entry> = []
      const text = { ...CallerError.aBatch, calls, text: () => this.#batchText(members, entries) }
      // Its notifications are sent, also where its requests ended before that.
      const isAllRequests = requests === members.length
      const millis = timeoutMillis(call?.timeout ?? this.#timeout)
      let open = requests
      const entries = members.map((member, index) => {
        if (member.notification === true) return undefined
        const settle = (outcome: Outcome) => {
          outcomes[index] = resultOf(outcome)
          if (--open > 0) return
          this.batches?.delete(text)
          if (isAllRequests) lane.traffic.parked?.delete(text)
          else lane.traffic.parked?.free(text)
          resume(Exit.succeed(outcomes))
        }
        const entry = ours.begin(lane, member.method, millis, settle, member)
        lane.answers?.calls.push(entry)
        entry.group = text
        calls.push(entry)
        return entry
      })
      if (open > 0) (this.batches ??= new Set()).add(text)
      // The requests of a batch with a timeout of 0 have ended already, and nobody waits for its notifications.
      if (requests > 0 && open === 0) {
        return isAllRequests ? undefined : void this.#send(lane, undefined, { ...text, calls: none }, () => {})
      }
      return this.#send(lane, within, text, (exit) => resume(Exit.map(exit, () => outcomes)))
    })
  }

  /** Writes the calls that have room now, and fails those of a lane that is closed. */
  admit(lanes: Iterable<Lane> | undefined = this.crowded): void {
    for (const lane of lanes ?? []) {
      lane.traffic.parked?.admit((line) => this.#hasRoom(lane, line))
      if (!lane.traffic.hasParked) this.crowded?.delete(lane)
    }
  }

  /** Parks a text until there is room. `enter` then writes it, or fails it if its lane is closed by then. */
  park(lane: Lane, owner: object, line: Line, enter: () => void): void {
    ;(lane.traffic.parked ??= new ParkedCalls()).add(owner, line, enter)
    ;(this.crowded ??= new Set()).add(lane)
  }

  /** Why no request can be made by a lane, if so. */
  #goneFor(lane: Lane): CallerError.DisconnectReason | undefined {
    return this.#conversation.reason ?? this.#conversation.closedFor(lane)
  }

  #hasRoom(lane: Lane, line: Line): boolean {
    return this.#conversation.closedFor(lane) !== undefined ||
      this.#conversation.room.mayWrite(lane, line) === undefined
  }

  /** Whether a text may be written now: none waits before it, and there is room. */
  #mayPass(lane: Lane, isWindowed: boolean): boolean {
    return lane.traffic.parked?.isAhead(isWindowed) !== true && this.#hasRoom(lane, lineOf(isWindowed))
  }

  /** Writes a text when there is room, and gives what withdraws it. `resume` takes the end of one that has no calls. */
  #send(
    lane: Lane,
    within: LaneCall | undefined,
    text: OutgoingText,
    resume: OnWritten
  ): Effect.Effect<void> | undefined {
    const { ours } = this.#conversation
    const { calls, method } = text
    const isWindowed = within === undefined && lane.traffic.bounds.isWindowed && calls.length > 0
    let hasEnded = false
    const end: OnWritten = (exit) => {
      hasEnded = true
      // A lane does not know what it writes.
      resume(Exit.isSuccess(exit) ? exit : Exit.mapError(exit, (error) => CallerError.ofCall(error, { method })))
    }
    const enter = () => {
      const reason = this.#conversation.closedFor(lane)
      if (reason === undefined) return this.#writeText(lane, text, isWindowed, end)
      for (const entry of calls) ours.fail(entry, unsent(reason, ours.named(entry)))
      end(Exit.fail(unsent(reason)))
    }
    // On a closed lane it fails before those that wait: two that try again at once would never come to an end there.
    if (this.#conversation.closedFor(lane) !== undefined || this.#mayPass(lane, isWindowed)) enter()
    else this.park(lane, text, lineOf(isWindowed), enter)
    this.#conversation.stepIfAwaited()
    if (hasEnded) return undefined
    if (within !== undefined) this.#conversation.park(within)
    return new Withdrawal(this, lane, text)
  }

  #writeText(lane: Lane, group: OutgoingText, isWindowed: boolean, end: OnWritten): void {
    const { ours } = this.#conversation
    const { calls, method, text } = group
    try {
      const written = limited(text(), this.#conversation.limits.frame)
      let isAwaited = false
      for (const entry of calls) {
        if (!ours.isWaiting(entry)) continue
        isAwaited = true
        if (isWindowed) this.#conversation.room.openWindow(entry, Math.ceil(written.length / calls.length))
      }
      const place = lane.write(written, "call", isAwaited ? undefined : end)
      for (const entry of calls) entry.place = place
    } catch (cause) {
      for (const entry of calls) ours.forget(entry)
      this.batches?.delete(group)
      end(Exit.fail(new CallerError.InvalidArguments({ method, cause })))
    }
  }

  #write(
    lane: Lane,
    entry: Entry,
    isWindowed: boolean,
    params: Message.Params | undefined,
    extra: Schema.JsonObject | undefined
  ): void {
    try {
      const { dialect, form, limits, ours } = this.#conversation
      const all = Progress.withTokens(dialect, entry.id, params, entry)
      const text = limited(Message.requestText(ours.idTextOf(entry), entry.method, all, extra, form), limits.frame)
      if (isWindowed) this.#conversation.room.openWindow(entry, text.length)
      entry.place = lane.write(text, "call")
    } catch (cause) {
      this.#conversation.ours.fail(entry, new CallerError.InvalidArguments({ method: entry.method, cause }))
    }
  }

  /** The text of a batch; a member without an entry is a notification. It leaves out requests that have ended. */
  #batchText(members: ReadonlyArray<Member>, entries: ReadonlyArray<Entry | undefined>): string {
    const { form, ours } = this.#conversation
    const texts = members.flatMap(({ extra, method, params }, index) => {
      const entry = entries[index]
      if (entry === undefined) return Message.notificationText(method, params, extra, form)
      if (!ours.isWaiting(entry)) return []
      return Message.requestText(ours.idTextOf(entry), method, params, extra, form)
    })
    // A batch has a member, and is not written where none is left.
    return Batch.join(texts as [string, ...Array<string>])
  }

  /** The last step of an interruption: the calls give up their turn, and their lane ends what it does for them. */
  withdraw(lane: Lane, owner: Entry | OutgoingText): Effect.Effect<void> {
    const calls = owner instanceof Entry ? [owner] : owner.calls
    let withdrawn = calls.length === 0 ? lane.expired() : Effect.void
    for (const entry of calls) if (this.#conversation.ours.forget(entry)) withdrawn = lane.expired(entry)
    lane.traffic.parked?.delete(owner)
    if (!(owner instanceof Entry)) this.batches?.delete(owner)
    // Many are often interrupted in one turn: the room of the first must not go to one that is interrupted next.
    queueMicrotask(() => this.#conversation.step())
    return withdrawn
  }
}

/** Refuses a text that is larger than a frame here, where its caller can do something about it. @internal */
export const limited = (text: string, frame: number): string => {
  if (!isTooLarge(text, frame)) return text
  throw new RangeError(`the text has ${text.length} characters, and a frame at most ${frame} bytes`)
}

/** Withdraws what waits. Each call has one: a suspended closure with its context would take three times the memory. */
class Withdrawal extends Effectable.Class<void> {
  readonly #outgoing: OutgoingCalls
  readonly #lane: Lane
  readonly #owner: Entry | OutgoingText

  constructor(outgoing: OutgoingCalls, lane: Lane, owner: Entry | OutgoingText) {
    super()
    this.#outgoing = outgoing
    this.#lane = lane
    this.#owner = owner
  }

  asEffect(): Effect.Effect<void> {
    return this.#outgoing.withdraw(this.#lane, this.#owner)
  }
}

const unsent = (reason: CallerError.DisconnectReason, call?: CallerError.Called) =>
  new CallerError.Disconnected({ ...call, reason, sent: false })

/** The waiting calls resume with typed failures only. */
const resultOf = (exit: Outcome): MemberOutcome => {
  if (Exit.isSuccess(exit)) return Result.succeed(exit.value)
  const error = Exit.findErrorOption(exit)
  return error._tag === "Some" ? Result.fail(error.value) : undefined
}
