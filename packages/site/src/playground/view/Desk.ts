/** The state of the page, and the actions of its buttons. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { reactive, type ShallowRef, shallowRef } from "vue"
import * as Line from "../bench/Line.ts"
import { type Failure, type Name, offers, type Options } from "../bench/Offer.ts"
import * as Traffic from "../bench/Traffic.ts"
import * as Workbench from "../bench/Workbench.ts"

/** A call that was made here. */
export interface Attempt {
  readonly key: number
  readonly code: string
  readonly state: "runs" | "succeeded" | "failed" | "cancelled"
  /** The reports and items before the end: the kind of each, and its text. */
  readonly told: ReadonlyArray<string>
  /** The result, or the message of the error. */
  readonly end: string
  /** The tag of the error, and its fields. */
  readonly error?: { readonly tag: string; readonly fields: string }
  readonly milliseconds?: number
  readonly cancel: () => void
}

/** A question of the bank to the visitor. */
export interface Question {
  readonly amount: number
  readonly answer: (agrees: boolean) => void
}

/** The content of the form of a call. */
export interface Draft {
  readonly offer: Name
  readonly method: string
  /** The params as JSON. */
  readonly params: string
  /** Milliseconds; empty for the default of the client. */
  readonly timeout: number | ""
}

export interface Desk {
  readonly rows: Readonly<ShallowRef<ReadonlyArray<Traffic.Row>>>
  readonly attempts: Readonly<ShallowRef<ReadonlyArray<Attempt>>>
  readonly questions: Readonly<ShallowRef<ReadonlyArray<Question>>>
  /** Changed by the page. They apply from the next text on. */
  readonly faults: { -readonly [K in keyof Line.Faults]: Line.Faults[K] }
  readonly call: (draft: Draft) => void
  readonly cut: () => void
  readonly sendForeign: (text: string) => void
  /** Forgets the messages and the calls that have ended. */
  readonly clear: () => void
  readonly close: () => void
}

/** A desk in use. `close` ends all that it does. */
export const open = (): Desk => {
  const rows = shallowRef<ReadonlyArray<Traffic.Row>>([])
  const attempts = shallowRef<ReadonlyArray<Attempt>>([])
  const questions = shallowRef<ReadonlyArray<Question>>([])
  const faults = reactive({ ...Line.none })
  const scope = Scope.makeUnsafe()
  let lastKey = 0

  const confirm = (amount: number) =>
    Effect.callback<boolean>((resume) => {
      const leave = () => {
        questions.value = questions.value.filter((each) => each !== question)
      }
      const question: Question = {
        amount,
        answer: (agrees) => {
          leave()
          resume(Effect.succeed(agrees))
        }
      }
      questions.value = [...questions.value, question]
      return Effect.sync(leave)
    })

  const bench = Effect.runSync(Scope.provide(
    Workbench.make({
      faults: () => faults,
      see: (seen) => {
        rows.value = Traffic.add(rows.value, seen)
      },
      confirm
    }),
    scope
  ))
  const run = (effect: Effect.Effect<unknown, unknown>) => Effect.runSync(Effect.forkIn(Effect.ignore(effect), scope))

  const update = (key: number, change: (attempt: Attempt) => Partial<Attempt>) => {
    attempts.value = attempts.value.map((each) => each.key === key ? { ...each, ...change(each) } : each)
  }

  const call = ({ method, offer, params, timeout }: Draft) => {
    const key = ++lastKey
    const tell: Options["tell"] = (what, value) =>
      update(key, ({ told }) => ({ told: [...told, `${what}: ${JSON.stringify(value)}`] }))
    const made = Effect.clockWith((clock) => {
      const began = clock.currentTimeMillisUnsafe()
      return Effect.onExit(
        Effect.flatMap(
          parsed(params),
          (json) => offers[offer].run(bench, json, { method, tell, timeout: timeout === "" ? undefined : timeout })
        ),
        (exit) =>
          Effect.sync(() =>
            update(key, () => ({ ...ended(exit), milliseconds: Math.round(clock.currentTimeMillisUnsafe() - began) }))
          )
      )
    })
    attempts.value = [{
      key,
      code: offers[offer].code(params, method),
      state: "runs",
      told: [],
      end: "",
      cancel: () => run(Fiber.interrupt(fiber))
    }, ...attempts.value]
    const fiber = run(made)
  }

  return {
    rows,
    attempts,
    questions,
    faults,
    call,
    cut: () => run(bench.cut),
    sendForeign: (text) => run(bench.sendForeign(text)),
    clear: () => {
      rows.value = []
      attempts.value = attempts.value.filter(({ state }) => state === "runs")
    },
    close: () => Effect.runFork(Scope.close(scope, Exit.void))
  }
}

const parsed = (text: string): Effect.Effect<Schema.Json, Failure> =>
  Effect.try({
    try: () => JSON.parse(text),
    catch: (cause) => ({
      _tag: "no JSON",
      message: `the params cannot be read, and nothing was sent: ${String(cause)}`
    })
  })

const ended = (exit: Exit.Exit<unknown, Failure>): Pick<Attempt, "state" | "end" | "error"> => {
  if (Exit.isSuccess(exit)) return { state: "succeeded", end: JSON.stringify(exit.value) }
  if (Cause.hasInterruptsOnly(exit.cause)) return { state: "cancelled", end: "cancelled: the bank was told" }
  const error = exit.cause.reasons.find(Cause.isFailReason)?.error
  if (error === undefined) return { state: "failed", end: Cause.pretty(exit.cause) }
  const { _tag, ...fields } = error
  return {
    state: "failed",
    end: error.message,
    error: { tag: _tag, fields: JSON.stringify(fields) }
  }
}
