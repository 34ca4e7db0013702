/**
 * The notifications that never queue behind handlers: what cancels a call of
 * theirs, what belongs to a call of ours, and what somebody listens to.
 */
import type * as Dialect from "@parley/protocol/Dialect"
import type * as Message from "@parley/protocol/Message"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type { Caller, NotificationListener } from "../Caller.ts"
import { Disconnected, type DisconnectReason } from "../CallerError.ts"
import * as Cancellation from "../Cancellation.ts"
import type { Correlator } from "../Correlator.ts"
import * as Members from "./Members.ts"
import * as Progress from "./Progress.ts"
import type { Log } from "./Reply.ts"

/** @internal */
export interface Interceptor extends Pick<Caller["Service"], "listen"> {
  /** Gives `true` for what is dealt with. */
  readonly intercept: (notification: Message.Notification) => boolean
  /** Tells all who listen that nothing more will come. */
  readonly end: (reason: DisconnectReason) => void
  /** Whether anybody listens. */
  readonly isListening: () => boolean
}

/** @internal */
export interface Options {
  readonly dialect: Dialect.Dialect
  readonly correlator: Pick<Correlator, "progress" | "partialResult">
  /** Cancels the call of the other side that has this key. */
  readonly cancel: (key: string) => void
  readonly log: Log
}

/** Who listens to one method. One listener may listen twice. */
type Listeners = Set<{ readonly listener: NotificationListener }>

/** @internal */
export const make = ({ cancel, correlator, dialect, log }: Options): Interceptor => {
  const methods = new Map<string, Listeners>()
  let ended: DisconnectReason | undefined

  /** Whether a callback takes something. One that throws has taken it. */
  const taken = (what: string, take: () => boolean): boolean => {
    try {
      return take()
    } catch (defect) {
      log(`${what} failed`, Cause.die(defect))
      return true
    }
  }

  const intercept = ({ method, params }: Message.Notification): boolean => {
    // A dialect may change when the two sides have agreed on more.
    const { cancellation, partialResults, progress } = dialect
    if (method === cancellation?.method) {
      const key = Cancellation.target(cancellation, params)
      if (key !== undefined) cancel(key)
      return true
    }
    return (method === progress?.method && isProgress(progress, params)) ||
      (method === partialResults?.method && isPartialResult(partialResults, params)) ||
      (methods.size > 0 && isListenedTo(method, params))
  }

  const isProgress = (progress: Dialect.Progress, params: Message.Params | undefined) => {
    const id = Progress.progressOf(progress, params)
    return id !== undefined && params !== undefined && taken("an `onProgress`", () => correlator.progress(id, params))
  }

  const isPartialResult = (partialResults: Dialect.PartialResults, params: Message.Params | undefined) => {
    const id = Progress.partialResultOf(partialResults, params)
    const value = Members.member(params, partialResults.value)
    return id !== undefined && value !== undefined &&
      taken("an `onPartialResult`", () => correlator.partialResult(id, value))
  }

  const isListenedTo = (method: string, params: Message.Params | undefined): boolean => {
    const listeners = methods.get(method)
    if (listeners === undefined) return false
    // Asking one may bring others, who came too late for this one, and may remove some.
    for (const entry of [...listeners]) {
      if (listeners.has(entry) && taken("a listener's `take`", () => entry.listener.take(params))) return true
    }
    return false
  }

  const listen: Interceptor["listen"] = (method, listener) =>
    Effect.asVoid(Effect.acquireRelease(
      Effect.suspend(() => {
        if (ended !== undefined) return Effect.fail(new Disconnected({ reason: ended, sent: false }))
        const entry = { listener }
        const listeners = methods.get(method) ?? new Set()
        methods.set(method, listeners.add(entry))
        return Effect.succeed(() => {
          if (listeners.delete(entry) && listeners.size === 0) methods.delete(method)
        })
      }),
      (remove) => Effect.sync(remove)
    ))

  const end = (reason: DisconnectReason) => {
    if (ended !== undefined) return
    ended = reason
    const error = new Disconnected({ reason, sent: false })
    const all = [...methods.values()]
    methods.clear()
    for (const listeners of all) {
      for (const entry of listeners) {
        // One that is told may have removed others.
        listeners.delete(entry)
        taken("a listener's `end`", () => (entry.listener.end(error), true))
      }
    }
  }

  return { intercept, listen, end, isListening: () => methods.size > 0 }
}
