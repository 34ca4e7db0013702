/**
 * The calls of ours that wait for their responses, with their deadlines: the
 * calling half of a conversation.
 *
 * A `Correlator` knows nothing of transports. The side that sends registers a
 * call first; the side that receives reports what came back. Both are
 * synchronous, and an entry is removed before its caller is resumed, so that a
 * call ends exactly once (promise 7).
 *
 * Ids start at 1 and are never reused (promise 16): some peers read 0 as "no id",
 * and a late response must not reach a newer call.
 *
 * ```ts run
 * import { Correlator } from "@parley/peer"
 * import { Effect } from "effect"
 *
 * const program = Effect.map(Correlator.make({ onTimeout: ({ id }) => console.log("cancel", id) }), (correlator) => {
 *   const { id } = correlator.register({ method: "add", timeout: 5_000, resume: (outcome) => console.log(outcome._tag) })
 *   correlator.settle({ _tag: "Success", id, result: 3 }) // => Success
 * })
 * Effect.runSync(Effect.scoped(program))
 * ```
 *
 * @since 0.1.0
 */
import type * as Dialect from "@parley/protocol/Dialect"
import type * as Message from "@parley/protocol/Message"
import { RequestId } from "@parley/protocol/shared"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { CallError, DisconnectReason } from "./internal/CallerError.ts"
import * as CallerError from "./internal/CallerError.ts"
import { CallTable, type Chained } from "./internal/outgoing/CallTable.ts"
import { acquired, warning } from "./internal/runtime/Host.ts"
import { Deadline, DeadlineQueue } from "./internal/timer/DeadlineQueue.ts"

/** How a call ended. @category models @since 0.1.0 */
export type Outcome = Exit.Exit<Schema.Json, CallError>

/** A call that is to be registered. @category models @since 0.1.0 */
export interface Registration {
  /** The name of the method, for errors. */
  readonly method: string
  /** Milliseconds to wait, `Infinity` for ever. */
  readonly timeout: number
  /** Takes the params of each progress notification. */
  readonly onProgress?: ((params: Schema.Json) => void) | undefined
  /** Takes each partial result. */
  readonly onPartialResult?: ((value: Schema.Json) => void) | undefined
  /** Takes the outcome, exactly once. */
  readonly resume: (outcome: Outcome) => void
}

/** A call that waits for its response. @category models @since 0.1.0 */
export interface Waiting extends Registration {
  /** The number of the call. */
  readonly id: number
  /** Where the request stands in the order of all texts written; -1 until it is written. */
  place: number
}

/**
 * The calls that wait for their responses. A callback of a call that throws is logged, and changes nothing for others.
 *
 * @category models
 * @since 0.1.0
 */
export interface Correlator {
  /** Gives a call its id and starts its time. */
  readonly register: (call: Registration) => Waiting
  /** Ends the call that a response belongs to. Gives `false` when none waits. */
  readonly settle: (response: Message.Success | Message.Failure) => boolean
  /** Fails the call that an invalid response names. Gives `false` when none waits. */
  readonly refuse: (response: CallerError.Refusal) => boolean
  /** Hands progress to a call. Gives `false` when none of this id waits that asked for it. */
  readonly progress: (id: number, params: Schema.Json) => boolean
  /** Hands a partial result to a call. Gives `false` when none of this id waits that asked for it. */
  readonly partialResult: (id: number, value: Schema.Json) => boolean
  /** Takes a call out without resuming it. Gives `false` when it has ended already. */
  readonly forget: (call: Waiting) => boolean
  /** Whether a call has not ended. */
  readonly isWaiting: (call: Waiting) => boolean
  /** Fails every waiting call with `Disconnected`. */
  readonly close: (reason: DisconnectReason, isSent: (call: Waiting) => boolean) => void
  /** How many calls wait now. */
  readonly size: () => number
  /** How many of them take partial results. */
  readonly streaming: () => number
}

/**
 * A correlator by itself, without a conversation. `onTimeout` takes each call whose time has run out, after it is
 * removed and before its caller is resumed. When the Scope closes, waiting calls fail with `Disconnected`, where `sent`
 * says whether `place` was set.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (options: {
  readonly onTimeout: (call: Waiting) => void
}): Effect.Effect<Correlator, never, Scope.Scope> =>
  acquired((context): Correlator => {
    const calls = new WaitingCalls({
      host: {
        timers: new DeadlineQueue(context),
        log: (what, cause) => void Effect.runForkWith(context)(warning(what, cause))
      }
    })
    const owner = { expired: options.onTimeout }
    return {
      register: (call) => calls.begin(owner, call.method, call.timeout, call.resume, call, call.onPartialResult),
      settle: (response) => calls.settle(response),
      refuse: ({ excerpt, id, rule }) => calls.refuseCall(calls.get(id), rule, excerpt),
      progress: (id, params) => calls.progress(id, params),
      partialResult: (id, value) => calls.partialResult(id, value),
      forget: ({ id }) => {
        const entry = calls.get(id)
        return entry !== undefined && calls.forget(entry)
      },
      isWaiting: (call) => calls.isWaiting(call),
      close: (reason, isSent) => calls.close(reason, isSent),
      size: () => calls.size,
      streaming: () => calls.streaming
    }
  }, (correlator) => Effect.sync(() => correlator.close({ _tag: "Closed" }, isWritten)))

/** Whether the text of a call was given to the side that writes. @internal */
export const isWritten = ({ place }: Waiting): boolean => place !== -1

/** The lane by which a call was made, or another owner. @internal */
export interface CallOwner {
  /** Runs when the time of a call has run out: the call is removed, and its caller is not resumed yet. */
  readonly expired: (call: Waiting) => unknown
  /** The place of the last text that was handed over; the framing of texts while the other side has sent nothing. */
  readonly traffic?: { readonly handedOver: number | undefined; readonly silentFraming: string | undefined } | undefined
  /** Whose responses come to this owner and no other, where that is so. */
  readonly answers?: {
    /** Runs when a call has ended, before its caller is resumed. */
    readonly ended: (outcome: Outcome) => void
  } | undefined
}

/** The calls of one batch. @internal */
export interface CallGroup {
  readonly calls: ReadonlyArray<Entry>
}

/** The options of a caller that a waiting call takes. */
interface EntryOptions extends Pick<Registration, "onProgress"> {
  readonly extend?: (() => number) | undefined
  readonly exact?: boolean | undefined
  readonly keepText?: boolean | undefined
}

/** A waiting call as conversations use it. @internal */
export class Entry extends Deadline implements Waiting, Chained<Entry> {
  readonly id: number
  next: Entry | undefined = undefined
  readonly method: string
  readonly timeout: number
  readonly resume: (outcome: Outcome) => void
  readonly onProgress: Registration["onProgress"]
  readonly onPartialResult: Registration["onPartialResult"]
  readonly owner: CallOwner
  // A number that is no small integer would be an object of its own.
  place = -1
  /** Characters of its request that count for the window; 0 where it does not count. */
  size = 0
  /** The batch it is a member of. */
  group: CallGroup | undefined = undefined
  /** Gives more time where its own is over. */
  readonly extend: EntryOptions["extend"]
  /** Whether it keeps the digits of numbers in what comes back. */
  readonly isExact: boolean
  /** Whether it keeps the text of its result. */
  readonly keepsText: boolean
  private readonly calls: WaitingCalls

  constructor(
    calls: WaitingCalls,
    owner: CallOwner,
    id: number,
    method: string,
    timeout: number,
    resume: Registration["resume"],
    options: EntryOptions | undefined,
    onPartialResult: Registration["onPartialResult"]
  ) {
    super()
    this.calls = calls
    this.owner = owner
    this.id = id
    this.method = method
    this.timeout = timeout
    this.resume = resume
    this.onProgress = options?.onProgress
    this.onPartialResult = onPartialResult
    this.extend = options?.extend
    this.isExact = options?.exact === true
    this.keepsText = options?.keepText === true && !this.isExact
  }

  override expire() {
    this.calls.expire(this)
  }
}

/** The part of a host that waiting calls need. @internal */
export interface WaitingCallsOptions {
  readonly host: {
    readonly timers: DeadlineQueue
    readonly log: (what: string, cause: Cause.Cause<unknown>) => void
  }
  /** Tells by which code the other side says that it shuts down. JSON-RPC's where it is absent. */
  readonly dialect?: Pick<Dialect.Dialect, "shutDownCode"> | undefined
  /** The number that was given last; numbers go on behind it. 0 where it is absent. */
  readonly lastId?: number | undefined
  /** Begins the ids on the wire, which are the numbers of the calls where it is absent. */
  readonly idPrefix?: string | undefined
  /** Runs when the time of a call has run out, behind its caller. */
  readonly onExpired?: (() => void) | undefined
  /** Runs when a call was removed, however it ended. */
  readonly onRemove?: ((call: Entry) => void) | undefined
}

/** @internal */
export class WaitingCalls {
  /** How many calls wait, how many of them take partial results, how many keep digits, and how many keep texts. */
  size = 0
  streaming = 0
  exact = 0
  withText = 0
  /** The number of the call that was made last. */
  lastId: number
  readonly #options: WaitingCallsOptions
  readonly #entries = new CallTable<Entry>()
  readonly #prefix: string | undefined

  constructor(options: WaitingCallsOptions) {
    this.#options = options
    this.#prefix = options.idPrefix
    this.lastId = options.lastId ?? 0
  }

  /** Registers a call that is not an object yet: an object more for each would be a twentieth of what a call allocates. */
  begin(
    owner: CallOwner,
    method: string,
    timeout: number,
    resume: Registration["resume"],
    options?: EntryOptions,
    onPartialResult?: Registration["onPartialResult"]
  ): Entry {
    const entry = new Entry(this, owner, ++this.lastId, method, timeout, resume, options, onPartialResult)
    this.#entries.add(entry)
    this.size++
    if (onPartialResult !== undefined) this.streaming++
    if (entry.isExact) this.exact++
    if (entry.keepsText) this.withText++
    if (timeout !== Number.POSITIVE_INFINITY) this.#options.host.timers.set(entry, timeout)
    return entry
  }

  /** The call that a response with this id belongs to. */
  get(id: RequestId.RequestId): Entry | undefined {
    const prefix = this.#prefix
    if (prefix === undefined) return this.#entries.get(id)
    if (typeof id !== "string" || !id.startsWith(prefix)) return undefined
    const entry = this.#entries.get(Number(id.slice(prefix.length)))
    // A number has other spellings, such as 1.0.
    return entry !== undefined && this.idOf(entry) === id ? entry : undefined
  }

  /** The call of this number. */
  numbered(number: number | undefined): Entry | undefined {
    return this.#entries.get(number)
  }

  /** The id of a call on the wire. */
  idOf({ id }: Waiting): string | number {
    return this.#prefix === undefined ? id : this.#prefix + id
  }

  /** The JSON text of that id. */
  idTextOf(call: Waiting): string {
    return this.#prefix === undefined ? String(call.id) : RequestId.toText(this.#prefix + call.id)
  }

  /** A call as its errors name it. */
  named(call: Waiting): Required<CallerError.Called> {
    return { method: call.method, id: this.idOf(call) }
  }

  isWaiting({ id }: Waiting): boolean {
    return this.#entries.get(id) !== undefined
  }

  settle(response: Message.Success | Message.Failure, entry = this.get(response.id)): boolean {
    if (entry === undefined || !this.forget(entry)) return false
    this.#end(
      entry,
      response._tag === "Success"
        ? Exit.succeed(response.result)
        : Exit.fail(CallerError.answeredWith(this.named(entry), response.error, this.#options.dialect))
    )
    return true
  }

  /** Fails a call with the rule that its response breaks. */
  refuseCall(entry: Entry | undefined, rule: string, excerpt?: string | undefined): boolean {
    if (entry === undefined || !this.forget(entry)) return false
    const seen = excerpt === undefined ? {} : { excerpt }
    this.#end(entry, Exit.fail(new CallerError.InvalidResponse({ ...this.named(entry), rule, ...seen })))
    return true
  }

  progress(id: number, params: Schema.Json): boolean {
    const entry = this.#entries.get(id)
    if (entry?.onProgress === undefined) return false
    this.#guard("onProgress", entry, () => entry.onProgress?.(params))
    return true
  }

  partialResult(id: number, value: Schema.Json): boolean {
    const entry = this.#entries.get(id)
    if (entry?.onPartialResult === undefined) return false
    this.#guard("onPartialResult", entry, () => entry.onPartialResult?.(value))
    return true
  }

  /** Removes a call that will have no outcome. Gives whether it was there. */
  forget(entry: Entry): boolean {
    if (!this.#entries.delete(entry)) return false
    this.size--
    if (entry.onPartialResult !== undefined) this.streaming--
    if (entry.isExact) this.exact--
    if (entry.keepsText) this.withText--
    if (entry.bucket !== undefined) this.#options.host.timers.cancel(entry)
    this.#options.onRemove?.(entry)
    return true
  }

  /** Ends a call by an outcome of our own, unless it has ended. */
  fail(entry: Entry, error: CallError): void {
    if (this.forget(entry)) this.#end(entry, Exit.fail(error))
  }

  close(reason: DisconnectReason, isSent: (call: Entry) => boolean): void {
    for (const entry of this.#entries.all()) {
      this.fail(entry, new CallerError.Disconnected({ ...this.named(entry), reason, sent: isSent(entry) }))
    }
  }

  expire(entry: Entry): void {
    let more = 0
    if (entry.extend !== undefined) this.#guard("extend", entry, () => more = entry.extend?.() ?? 0)
    if (more > 0) return this.#options.host.timers.set(entry, more)
    if (!this.forget(entry)) return
    const { owner, timeout: milliseconds } = entry
    this.#guard("onTimeout", entry, () => owner.expired(entry))
    const framing = owner.traffic?.silentFraming
    const silent = framing === undefined ? {} : { framing }
    this.#end(entry, Exit.fail(new CallerError.RequestTimeout({ ...this.named(entry), milliseconds, ...silent })))
    this.#options.onExpired?.()
  }

  /** Resuming runs the fiber that waits, and its observers, at once: what they throw must not reach the caller of this. */
  #end(entry: Entry, outcome: Outcome): void {
    try {
      entry.owner.answers?.ended(outcome)
      entry.resume(outcome)
    } catch (defect) {
      const name = CallerError.nameOf(this.named(entry))
      this.#options.host.log(`what waited for the response to ${name} threw`, Cause.die(defect))
    }
  }

  #guard(callback: string, call: Waiting, run: () => void): void {
    try {
      run()
    } catch (defect) {
      const name = CallerError.nameOf(this.named(call))
      this.#options.host.log(`the \`${callback}\` of the call ${name} threw`, Cause.die(defect))
    }
  }
}
