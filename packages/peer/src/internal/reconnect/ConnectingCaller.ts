/**
 * Calls that wait for a connection before they are made: in the order they came, bounded in number, each within its own
 * time, of which the wait is a part.
 *
 * Resumption is synchronous, so an entry is gone before its call is resumed, and a call that is admitted has gone out
 * before the next one is.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type { Caller, CallOptions } from "../../Caller.ts"
import {
  aBatch,
  type CallError,
  describe,
  Disconnected,
  type DisconnectReason,
  ofCall,
  Overloaded,
  RequestTimeout
} from "../CallerError.ts"
import type { Host } from "../runtime/Host.ts"
import { timeoutMillis, Timer } from "../timer/DeadlineQueue.ts"

/** A connection, and the milliseconds that are left of a call's time when it has come. */
interface Admission {
  readonly to: Caller
  readonly left: number
}

/** Why a call goes out by no connection: its time is over, too many wait, or no connection follows. */
type Refusal = "late" | "full" | Disconnected

interface Entry {
  readonly timer: Timer
  /** Calls that it counts for. */
  readonly size: number
  readonly resume: (exit: Exit.Exit<Caller, Refusal>) => void
}

/** @internal */
export class ConnectingCaller implements Omit<Caller, "pause" | "pipe"> {
  /** Why the last attempt has failed, or the last connection has ended, if there was one. */
  last: DisconnectReason | undefined = undefined
  readonly #host: Pick<Host, "log" | "timers">
  readonly #limit: number
  readonly #timeout: number
  readonly #entries = new Set<Entry>()
  #size = 0
  #closed: Exit.Exit<never, Disconnected> | undefined = undefined

  /** `limit` calls may wait, each for `timeout` milliseconds when it does not say so. */
  constructor(host: Pick<Host, "log" | "timers">, limit: number, timeout: number) {
    this.#host = host
    this.#limit = limit
    this.#timeout = timeout
  }

  readonly request: Caller["request"] = (method, params, options) => {
    const milliseconds = timeoutMillis(options?.timeout ?? this.#timeout)
    return Effect.matchEffect(this.#wait(1, milliseconds), {
      onSuccess: ({ left, to }) =>
        within(options, milliseconds, left, (options) => to.request(method, params, options)),
      onFailure: (refusal) => Effect.fail(this.#errorOf(refusal, method, milliseconds))
    })
  }

  readonly notify: Caller["notify"] = (method, params) =>
    Effect.matchEffect(this.#wait(1, this.#timeout), {
      onSuccess: ({ to }) => to.notify(method, params),
      onFailure: (refusal) => Effect.fail(ofCall(this.#unreachable(refusal), { method }))
    })

  readonly batch: Caller["batch"] = (members, options) => {
    if (members.length === 0) return Effect.succeed([])
    const milliseconds = timeoutMillis(options?.timeout ?? this.#timeout)
    const requests = members.filter(({ notification }) => notification !== true).length
    return Effect.matchEffect(this.#wait(Math.max(1, requests), milliseconds), {
      onSuccess: ({ left, to }) =>
        Effect.map(
          to.batch(members, { timeout: left }),
          (outcomes) => outcomes.map((outcome) => outcome && Result.mapError(outcome, whole(milliseconds)))
        ),
      // Each request has an error of its own. A batch of notifications has none, and fails as a whole.
      onFailure: (refusal) =>
        requests === 0 || typeof refusal !== "string"
          ? Effect.fail(ofCall(this.#unreachable(refusal), aBatch))
          : Effect.succeed(members.map(({ method, notification }) =>
            notification === true ? undefined : Result.fail(this.#errorOf(refusal, method, milliseconds))
          ))
    })
  }

  readonly listen: Caller["listen"] = (method, listener) =>
    Effect.matchEffect(this.#wait(1, this.#timeout), {
      onSuccess: ({ to }) => to.listen(method, listener),
      onFailure: (refusal) => Effect.fail(this.#unreachable(refusal))
    })

  /**
   * Admits the calls that wait now, one after the other. Calls that enter meanwhile stay, because a call that always
   * re-enters would never let this end.
   */
  admit(to: Caller): void {
    for (const entry of [...this.#entries]) this.#resume(entry, Exit.succeed(to))
  }

  /** Fails all, waiting or later. */
  close(error: Disconnected): void {
    this.#closed = Exit.fail(error)
    for (const entry of this.#entries) this.#resume(entry, this.#closed)
  }

  #wait(size: number, milliseconds: number): Effect.Effect<Admission, Refusal> {
    return Effect.callback((resume) => {
      if (this.#closed !== undefined) return resume(this.#closed)
      if (this.#size + size > this.#limit) return resume(Exit.fail("full"))
      const { timers } = this.#host
      const due = timers.now() + milliseconds
      const entry: Entry = {
        timer: new Timer(() => {
          if (this.#leave(entry)) resume(Exit.fail("late"))
        }),
        size,
        resume: (exit) => resume(Exit.map(exit, (to) => ({ to, left: Math.max(0, due - timers.now()) })))
      }
      this.#entries.add(entry)
      this.#size += size
      if (milliseconds !== Number.POSITIVE_INFINITY) timers.set(entry.timer, milliseconds)
      return Effect.sync(() => this.#leave(entry))
    })
  }

  #leave(entry: Entry): boolean {
    if (!this.#entries.delete(entry)) return false
    this.#size -= entry.size
    this.#host.timers.cancel(entry.timer)
    return true
  }

  /** Resumes a call. If that throws, the next call still gets its turn. */
  #resume(entry: Entry, exit: Exit.Exit<Caller, Disconnected>): void {
    try {
      if (this.#leave(entry)) entry.resume(exit)
    } catch (defect) {
      this.#host.log("what waited for a connection of `Reconnecting` threw", Cause.die(defect))
    }
  }

  /** The error of what has no more specific one. */
  #unreachable(refusal: Refusal): Disconnected {
    return typeof refusal === "string" ? new Disconnected({ reason: this.last ?? none, sent: false }) : refusal
  }

  #errorOf(refusal: Refusal, method: string, milliseconds: number): CallError {
    if (refusal === "full") return new Overloaded({ limit: this.#limit })
    if (refusal !== "late") return ofCall(refusal, { method })
    const attempted = this.last === undefined ? {} : { attempt: describe(this.last) }
    return new RequestTimeout({ method, milliseconds, ...attempted })
  }
}

/** Why there is no connection before the first attempt has ended. @internal */
export const none: DisconnectReason = { _tag: "Open", cause: new Error("there has been no connection yet") }

/** Names the time that the call was given, not what was left of it. @internal */
export const whole = (milliseconds: number) => (error: CallError): CallError =>
  error._tag === "RequestTimeout" ? new RequestTimeout({ ...error, milliseconds }) : error

/** Makes a call within what is left of its time. @internal */
export const within = <A, R>(
  options: CallOptions | undefined,
  milliseconds: number,
  left: number,
  call: (options: CallOptions) => Effect.Effect<A, CallError, R>
): Effect.Effect<A, CallError, R> => Effect.mapError(call({ ...options, timeout: left }), whole(milliseconds))
