/** A small correlator with a timer per call, and one flaw at a time. */
import { Caller, type Correlator } from "@parley/peer"
import { Effect, Exit } from "effect"

export type Flaw =
  | "none"
  | "uses ids again"
  | "resumes before it forgets"
  | "ends late calls again"
  | "times out early"
  | "times out late"
  | "closes all but the first"
  | "says that all was sent"
  | "outlives its Scope"
  | "dies of what onTimeout throws"
  | "dies of what resume throws"
  | "lets onProgress throw"

interface Entry extends Correlator.Waiting {
  /** Whether it has ended. */
  over: boolean
}

const attempt = (run: () => void) => {
  try {
    run()
  } catch {
    // It is the call's own matter.
  }
}

export const make = (flaw: Flaw) => ({ onTimeout }: { readonly onTimeout: (call: Correlator.Waiting) => void }) =>
  Effect.flatMap(Effect.context<never>(), (context) => {
    const entries = new Map<unknown, Entry>()
    const fork = Effect.runForkWith(context)
    let lastId = 0

    const take = (id: unknown) => {
      const entry = entries.get(id)
      entries.delete(id)
      return entry
    }

    const end = (id: unknown, outcome: (entry: Entry) => Correlator.Outcome): boolean => {
      const entry = flaw === "resumes before it forgets" ? entries.get(id) : take(id)
      if (entry === undefined) return false
      const resume = () => entry.resume(outcome(entry))
      if (flaw === "dies of what resume throws") resume()
      else attempt(resume)
      entries.delete(id)
      return true
    }

    const expire = (entry: Entry) => {
      if (!entries.has(entry.id) && flaw !== "ends late calls again") return
      if (flaw === "dies of what onTimeout throws") onTimeout(entry)
      else attempt(() => onTimeout(entry))
      const { id, method, timeout } = entry
      const outcome = Exit.fail(new Caller.RequestTimeout({ method, id, milliseconds: timeout }))
      if (!end(id, () => outcome)) attempt(() => entry.resume(outcome))
    }

    const heard = (id: number, callback: ((value: null) => void) | undefined): boolean => {
      if (!entries.has(id) || callback === undefined) return false
      if (flaw === "lets onProgress throw") callback(null)
      else attempt(() => callback(null))
      return true
    }

    const correlator: Correlator.Correlator = {
      register: (call) => {
        const id = flaw === "uses ids again" ? entries.size + 1 : ++lastId
        const entry: Entry = { ...call, id, place: Number.POSITIVE_INFINITY, over: false }
        entries.set(id, entry)
        const shift = flaw === "times out early" ? -1 : flaw === "times out late" ? 11 : 0
        if (Number.isFinite(call.timeout)) {
          fork(Effect.andThen(Effect.sleep(Math.max(0, call.timeout + shift)), Effect.sync(() => expire(entry))))
        }
        return entry
      },
      settle: ({ id }) => end(id, () => Exit.succeed(null)),
      refuse: ({ id, rule }) => end(id, ({ method }) => Exit.fail(new Caller.InvalidResponse({ method, rule }))),
      progress: (id, params) => {
        const onProgress = entries.get(id)?.onProgress
        return heard(id, onProgress && (() => onProgress(params)))
      },
      partialResult: (id, value) => {
        const onPartialResult = entries.get(id)?.onPartialResult
        return heard(id, onPartialResult && (() => onPartialResult(value)))
      },
      forget: ({ id }) => take(id) !== undefined,
      isWaiting: ({ id }) => entries.has(id),
      close: (reason, isSent) => {
        for (const id of [...entries.keys()].slice(flaw === "closes all but the first" ? 1 : 0)) {
          end(id, (entry) =>
            Exit.fail(
              new Caller.Disconnected({ reason, sent: flaw === "says that all was sent" || isSent(entry) })
            ))
        }
      },
      size: () => entries.size,
      streaming: () => [...entries.values()].filter(({ onPartialResult }) => onPartialResult !== undefined).length
    }
    return Effect.acquireRelease(Effect.succeed(correlator), ({ close }) =>
      Effect.sync(() => {
        if (flaw !== "outlives its Scope") close({ _tag: "Closed" }, () => false)
      }))
  })
