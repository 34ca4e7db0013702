/** What became of the calls: each that begins is entered, and so is its end. */
import type { Caller } from "@parley/peer"
import { Cause, Effect, Exit } from "effect"
import { isDeepStrictEqual } from "node:util"

export interface Ledger {
  begun: number
  /** How calls have ended. */
  readonly ends: Record<"result" | "RemoteError" | "RequestTimeout" | "Disconnected" | "interruption", number>
  notifications: number
  /** Milliseconds of the longest call that was answered. */
  longest: number
  /** Connections that were opened, and that were lost. */
  opened: number
  lost: number
  /** What should not have been, in words. */
  readonly wrong: Array<string>
}

export const make = (): Ledger => ({
  begun: 0,
  ends: { result: 0, RemoteError: 0, RequestTimeout: 0, Disconnected: 0, interruption: 0 },
  notifications: 0,
  longest: 0,
  opened: 0,
  lost: 0,
  wrong: []
})

/** Calls that have ended. */
export const ended = ({ ends }: Ledger): number => Object.values(ends).reduce((sum, count) => sum + count, 0)

const short = (value: unknown) => JSON.stringify(value)?.slice(0, 200)

const endOf = (exit: Exit.Exit<unknown, Caller.CallError>): string => {
  if (Exit.isSuccess(exit)) return "result"
  if (Cause.hasInterruptsOnly(exit.cause)) return "interruption"
  return exit.cause.reasons.find(Cause.isFailReason)?.error._tag ?? "defect"
}

/** Enters a call and its end, whatever that is. */
export const entered = <A>(
  ledger: Ledger,
  call: Effect.Effect<A, Caller.CallError>
): Effect.Effect<A, Caller.CallError> =>
  Effect.suspend(() => {
    ledger.begun++
    const began = performance.now()
    return Effect.onExit(call, (exit) =>
      Effect.sync(() => {
        const end = endOf(exit)
        if (!isEnd(ledger, end)) return void ledger.wrong.push(`a call ended with ${end}`)
        ledger.ends[end]++
        if (end === "result") ledger.longest = Math.max(ledger.longest, performance.now() - began)
      }))
  })

const isEnd = ({ ends }: Ledger, end: string): end is keyof Ledger["ends"] => Object.hasOwn(ends, end)

/** Says that this should be that. */
export const expect = (ledger: Ledger, what: string, actual: unknown, expected: unknown): void => {
  if (isDeepStrictEqual(actual, expected)) return
  ledger.wrong.push(`${what} gave ${short(actual)} in place of ${short(expected)}`)
}

const numbers = new Intl.NumberFormat("en", { maximumFractionDigits: 0 })

/** Figures, one a line, as people read them. */
export const block = (title: string, figures: Readonly<Record<string, number>>): string => {
  const rows = Object.entries(figures).map(([name, value]) => [name, numbers.format(value)] as const)
  const width = Math.max(...rows.map(([, value]) => value.length))
  return [title, ...rows.map(([name, value]) => `  ${value.padStart(width)}  ${name}`)].join("\n")
}
