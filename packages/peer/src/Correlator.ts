/**
 * The waiting calls of one connection or session, with their deadlines.
 *
 * A `Correlator` knows nothing of transports: who sends registers a call first,
 * and the receive loop reports what came back. Both are synchronous, and an
 * entry is gone before its caller is resumed, so that a call ends exactly once.
 *
 * Ids start at 1 and are never reused: some peers read 0 as "no id", and a late
 * response must not reach a newer call.
 *
 * @since 0.1.0
 */
import type * as Message from "@parley/protocol/Message"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { CallError, DisconnectReason } from "./CallerError.ts"
import * as CallerError from "./CallerError.ts"
import * as Sweeper from "./internal/Sweeper.ts"

/**
 * How a call ended.
 *
 * @category models
 * @since 0.1.0
 */
export type Outcome = Exit.Exit<Schema.Json, CallError>

/**
 * What a caller says about its call.
 *
 * @category models
 * @since 0.1.0
 */
export interface Registration {
  readonly method: string
  /** Milliseconds to wait, `Infinity` for ever. */
  readonly timeout: number
  readonly onProgress?: ((params: Schema.Json) => void) | undefined
  readonly onPartialResult?: ((value: Schema.Json) => void) | undefined
  /** Takes the outcome, exactly once. */
  readonly resume: (outcome: Outcome) => void
}

/**
 * A call that waits for its response.
 *
 * @category models
 * @since 0.1.0
 */
export interface Waiting extends Registration {
  readonly id: number
  /** Where the request stands in the order of all texts written; `Infinity` until it is written. */
  place: number
}

/**
 * The waiting calls of one connection or session.
 *
 * @category models
 * @since 0.1.0
 */
export interface Correlator {
  /** Gives a call its id and lets its time run. */
  readonly register: (call: Registration) => Waiting
  /** Ends the call that a response belongs to. Gives `false` when none waits. */
  readonly settle: (response: Message.Success | Message.Failure) => boolean
  /** Fails the call that an invalid response names. Gives `false` when none waits. */
  readonly refuse: (response: Message.InvalidResponse) => boolean
  /** Hands progress to a call. Gives `false` when none of this id waits that asked for it. */
  readonly progress: (id: number, params: Schema.Json) => boolean
  /** Hands a partial result to a call. Gives `false` when none of this id waits that asked for it. */
  readonly partialResult: (id: number, value: Schema.Json) => boolean
  /** Takes a call out without resuming it. Gives `false` when it has ended already. */
  readonly forget: (call: Waiting) => boolean
  /** Whether a call has not ended. */
  readonly isWaiting: (call: Waiting) => boolean
  /** Fails every waiting call. */
  readonly close: (reason: DisconnectReason, isSent: (call: Waiting) => boolean) => void
  /** How many calls wait now. */
  readonly size: () => number
  /** How many of them take partial results. */
  readonly streaming: () => number
}

/**
 * The waiting calls of one session, without a connection. `onTimeout` hears of each call whose time has run out,
 * after it is taken out and before its caller is resumed.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (options: {
  readonly onTimeout: (call: Waiting) => void
}): Effect.Effect<Correlator, never, Scope.Scope> =>
  Effect.flatMap(Effect.context<never>(), (context) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        const onDefect = (defect: unknown) =>
          void Effect.runForkWith(context)(Effect.logWarning("who waited for a response threw", Cause.die(defect)))
        return makeWith({ ...options, sweeper: Sweeper.make(context), onDefect })
      }),
      (correlator) => Effect.sync(() => correlator.close({ _tag: "Closed" }, isWritten))
    ))

/** Whether its text was given to who writes. @internal */
export const isWritten = ({ place }: Waiting) => place !== Number.POSITIVE_INFINITY

class Entry extends Sweeper.Alarm implements Registered {
  place = Number.POSITIVE_INFINITY
  onTimeout: ((call: Waiting) => void) | undefined = undefined
  readonly id: number
  readonly method: string
  timeout: number
  /** When it must have ended however much progress there is, and after how long; 0 where progress gives no time. */
  latest = 0
  most = 0
  readonly onProgress: ((params: Schema.Json) => void) | undefined
  readonly onPartialResult: ((value: Schema.Json) => void) | undefined
  readonly resume: (outcome: Outcome) => void
  readonly owner: { readonly expire: (entry: Entry) => void }

  constructor(
    id: number,
    method: string,
    timeout: number,
    resume: Registration["resume"],
    onProgress: Registration["onProgress"],
    onPartialResult: Registration["onPartialResult"],
    owner: { readonly expire: (entry: Entry) => void }
  ) {
    super()
    this.id = id
    this.method = method
    this.timeout = timeout
    this.onProgress = onProgress
    this.onPartialResult = onPartialResult
    this.resume = resume
    this.owner = owner
  }

  override ring() {
    this.owner.expire(this)
  }
}

/** @internal */
export interface Registered extends Waiting {
  /** Hears in place of the correlator's `onTimeout` that its time has run out: for calls by a way of their own. */
  onTimeout: ((call: Waiting) => void) | undefined
}

/** @internal */
export interface Registry extends Correlator {
  /** Registers a call that is not an object yet: making one for each costs a twentieth of what a call allocates. */
  readonly begin: (
    method: string,
    timeout: number,
    resume: Registration["resume"],
    onProgress?: Registration["onProgress"],
    onPartialResult?: Registration["onPartialResult"]
  ) => Registered
  /** The id of the call that was registered last. */
  readonly lastId: () => number
  /** Lets progress start the time of a call anew, up to so many milliseconds in all. */
  readonly prolong: (call: Waiting, most: number) => void
}

/** @internal */
export const makeWith = (options: {
  /** The id that those of new calls come after; 0 where it is absent. */
  readonly lastId?: number
  readonly sweeper: Sweeper.Sweeper
  readonly onTimeout: (call: Waiting) => void
  readonly onDefect: (defect: unknown) => void
}): Registry => {
  const { onDefect, onTimeout, sweeper } = options
  const entries = new Map<unknown, Entry>()
  let lastId = options.lastId ?? 0
  let streaming = 0

  const take = (id: unknown): Entry | undefined => {
    const entry = entries.get(id)
    if (entry === undefined) return undefined
    entries.delete(id)
    if (entry.onPartialResult !== undefined) streaming--
    if (entry.line !== undefined) sweeper.cancel(entry)
    return entry
  }

  /** Resuming runs what waits, and what observes that, at once: what they throw must not reach the loop. */
  const resume = (entry: Entry, outcome: Outcome) => {
    try {
      entry.resume(outcome)
    } catch (defect) {
      onDefect(defect)
    }
  }

  const owner = {
    expire: (entry: Entry) => {
      if (take(entry.id) === undefined) return
      const { id, method, timeout: milliseconds } = entry
      if (entry.onTimeout === undefined) onTimeout(entry)
      else entry.onTimeout(entry)
      resume(entry, Exit.fail(new CallerError.RequestTimeout({ method, id, milliseconds })))
    }
  }

  const begin: Registry["begin"] = (method, timeout, resume, onProgress, onPartialResult) => {
    const entry = new Entry(++lastId, method, timeout, resume, onProgress, onPartialResult, owner)
    entries.set(entry.id, entry)
    if (onPartialResult !== undefined) streaming++
    if (timeout !== Number.POSITIVE_INFINITY) sweeper.set(entry, timeout)
    return entry
  }

  const prolong: Registry["prolong"] = ({ id }, most) => {
    const entry = entries.get(id)
    if (entry?.line === undefined || most <= entry.timeout) return
    entry.latest = entry.due - entry.timeout + most
    entry.most = most
  }

  const rearm = (entry: Entry) => {
    if (entry.line === undefined) return
    const left = entry.latest - sweeper.now()
    if (left <= 0) return
    sweeper.cancel(entry)
    sweeper.set(entry, Math.min(entry.timeout, left))
    // An error tells the time that the call was given in all.
    if (left <= entry.timeout) entry.timeout = entry.most
  }

  return {
    begin,
    prolong,
    register: (call) => begin(call.method, call.timeout, call.resume, call.onProgress, call.onPartialResult),
    settle: (response) => {
      const entry = take(response.id)
      if (entry === undefined) return false
      resume(
        entry,
        response._tag === "Success"
          ? Exit.succeed(response.result)
          : Exit.fail(new CallerError.RemoteError(response.error))
      )
      return true
    },
    refuse: ({ id, rule }) => {
      const entry = take(id)
      if (entry === undefined) return false
      resume(entry, Exit.fail(new CallerError.InvalidResponse({ method: entry.method, rule })))
      return true
    },
    progress: (id, params) => {
      const entry = entries.get(id)
      if (entry?.onProgress === undefined) return false
      if (entry.latest !== 0) rearm(entry)
      entry.onProgress(params)
      return true
    },
    partialResult: (id, value) => {
      const onPartialResult = entries.get(id)?.onPartialResult
      if (onPartialResult === undefined) return false
      onPartialResult(value)
      return true
    },
    forget: ({ id }) => take(id) !== undefined,
    isWaiting: ({ id }) => entries.has(id),
    close: (reason, isSent) => {
      for (const { id } of [...entries.values()]) {
        const entry = take(id)
        if (entry !== undefined) {
          resume(entry, Exit.fail(new CallerError.Disconnected({ reason, sent: isSent(entry) })))
        }
      }
    },
    size: () => entries.size,
    streaming: () => streaming,
    lastId: () => lastId
  }
}
