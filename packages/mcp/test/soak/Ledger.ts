/** What became of the calls: each that begins is entered, and so is its end. */
import { Cause, Effect, Exit } from "effect"

export interface Ledger {
  begun: number
  /** How calls have ended, and how often. */
  readonly ends: Map<string, number>
  /** What should not have been, in words. */
  readonly wrong: Array<string>
}

export const make = (): Ledger => ({ begun: 0, ends: new Map(), wrong: [] })

export const ended = ({ ends }: Ledger): number => [...ends.values()].reduce((sum, count) => sum + count, 0)

/** Ends that a client which drops, and a server that forgets, bring about. */
const known = new Set(["result", "interruption", "cut", "SessionExpired", "Disconnected", "404"])

export const enter = (ledger: Ledger, end: string) => {
  ledger.ends.set(end, (ledger.ends.get(end) ?? 0) + 1)
  if (!known.has(end)) ledger.wrong.push(end)
}

const endOf = (exit: Exit.Exit<unknown, { readonly _tag: string }>): string => {
  if (Exit.isSuccess(exit)) return "result"
  if (Cause.hasInterruptsOnly(exit.cause)) return "interruption"
  return exit.cause.reasons.find(Cause.isFailReason)?.error._tag ?? String(Cause.squash(exit.cause))
}

/** Enters a call and its end, whatever that is. */
export const entered = <A, E extends { readonly _tag: string }>(
  ledger: Ledger,
  call: Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    ledger.begun++
    return Effect.onExit(call, (exit) => Effect.sync(() => enter(ledger, endOf(exit))))
  })
