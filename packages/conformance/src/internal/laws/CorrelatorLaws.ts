/**
 * The laws of a correlator, for any implementation of `Correlator`. A law plays its transport and its callers.
 *
 * Time is a test clock of the law's own, so that the laws take none.
 *
 * ```ts run
 * import { Laws } from "@parley/conformance"
 * import { Correlator } from "@parley/peer"
 * import { Effect } from "effect"
 *
 * const laws = Laws.ofCorrelator({ name: "mine", make: Correlator.make }, { runs: 2 })
 *
 * // A test runner has a test for each.
 * for (const law of laws) await Effect.runPromise(law.check)
 * console.log(laws[0]?.name) // => mine: every registered call ends exactly once
 * ```
 *
 * @since 0.1.0
 */
import type { Correlator, Outcome, Registration, Waiting } from "@parley/peer/Correlator"
import * as Message from "@parley/protocol/Message"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import type * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { below, elements, sequence } from "../../shared/Generators.ts"
import { type Body, firstVerdict, law, property } from "../laws.ts"
import type { Law, Verdict } from "./Law.ts"

/**
 * A correlator under test: how it is made.
 *
 * @category models
 * @since 0.1.0
 */
export interface Correlated {
  /** The beginning of each law's name. */
  readonly name: string
  /** A new correlator, which takes the clock of its context and is closed with the Scope. */
  readonly make: (options: {
    readonly onTimeout: (call: Waiting) => void
  }) => Effect.Effect<Correlator, unknown, Scope.Scope>
}

/**
 * The laws of calls that end: each once, with an id of its own, by its response, its deadline or the end of all.
 *
 * @category laws
 * @since 0.1.0
 */
export const ending = (
  { make, name }: Correlated,
  options: Arbitrary.CheckOptions = { runs: 50 }
): ReadonlyArray<Law> => [
  property(`${name}: every registered call ends exactly once`, history, (steps) => timed(play(make, steps)), options),
  property(
    `${name}: an id is a positive integer, and never used again`,
    history,
    (steps) =>
      timed(Effect.gen(function*() {
        const correlator = yield* make({ onTimeout: () => {} })
        const ids = steps.map(({ action }) => {
          const call = correlator.register(registration(10, () => {}))
          if (action === "settle") correlator.settle(success(call))
          if (action === "forget") correlator.forget(call)
          return call.id
        })
        const wrong = ids.find((id, index) => !Number.isSafeInteger(id) || id < 1 || ids.indexOf(id) !== index)
        return wrong === undefined ? undefined : `the ids are ${ids.join(", ")}`
      })),
    options
  ),
  property(
    `${name}: a timeout is never early, and at most 10 ms late`,
    deadlines,
    (deadlines) => timed(punctual(make, deadlines)),
    options
  ),
  law(
    `${name}: closing ends every call, and tells which were sent`,
    timed(Effect.gen(function*() {
      const correlator = yield* make({ onTimeout: () => {} })
      const outcomes: Array<Outcome> = []
      const [first] = [1, 2, 3].map(() => correlator.register(registration(10, (outcome) => outcomes.push(outcome))))
      correlator.close({ _tag: "EndOfInput" }, (call) => call === first)
      const told = outcomes.map(disconnected).join(", ")
      if (told !== "EndOfInput true, EndOfInput false, EndOfInput false") return `the calls ended with: ${told}`
      return correlator.size() === 0 ? undefined : `${correlator.size()} calls still wait`
    }))
  ),
  law(
    `${name}: the end of its Scope ends every call`,
    timed(Effect.gen(function*() {
      const scope = yield* Scope.make()
      const correlator = yield* Scope.provide(make({ onTimeout: () => {} }), scope)
      const outcomes: Array<Outcome> = []
      for (let call = 0; call < 3; call++) correlator.register(registration(10, (outcome) => outcomes.push(outcome)))
      yield* Scope.close(scope, Exit.void)
      return outcomes.filter((outcome) => disconnected(outcome).startsWith("Closed")).length === 3
        ? undefined
        : `${outcomes.length} of 3 calls ended: ${outcomes.map(disconnected).join(", ")}`
    }))
  )
]

/**
 * The laws of callbacks that throw: what a callback throws is a matter of its own call.
 *
 * @category laws
 * @since 0.1.0
 */
export const throwing = ({ make, name }: Correlated): ReadonlyArray<Law> => [
  law(
    `${name}: what onTimeout throws neither stops other deadlines nor leaves a call registered`,
    timed(Effect.gen(function*() {
      const correlator = yield* make({ onTimeout: boom })
      const ended = [0, 0, 0]
      const calls = ended.map((_, index) => correlator.register(registration(10 * (index + 1), () => ended[index]!++)))
      yield* TestClock.adjust(100)
      return left(correlator, calls, ended)
    }))
  ),
  law(
    `${name}: what resume throws neither stops other deadlines nor leaves a call registered`,
    timed(Effect.gen(function*() {
      const correlator = yield* make({ onTimeout: () => {} })
      const ended = [0, 0, 0, 0]
      const calls = ended.map((_, index) =>
        correlator.register(registration(10 * (index + 1), () => {
          ended[index]!++
          boom()
        }))
      )
      const [first] = calls
      if (first !== undefined && !correlator.settle(success(first))) return "a response found no call"
      yield* TestClock.adjust(25)
      correlator.close({ _tag: "EndOfInput" }, () => false)
      return left(correlator, calls, ended)
    }))
  ),
  law(
    `${name}: what onProgress throws leaves its call waiting, with its deadline`,
    timed(firstVerdict(["onProgress", "onPartialResult"] as const, (callback) =>
      Effect.gen(function*() {
        const correlator = yield* make({ onTimeout: () => {} })
        const ended = [0, 0]
        const calls = ended.map((_, index) =>
          correlator.register({ ...registration(10 * (index + 1), () => ended[index]!++), [callback]: boom })
        )
        for (const { id } of calls) {
          const taken = callback === "onProgress" ? correlator.progress(id, null) : correlator.partialResult(id, null)
          if (!taken) return `${callback} of a call that waits was not called`
        }
        const [first] = calls
        if (first !== undefined && !correlator.settle(success(first))) return "a response found no call"
        yield* TestClock.adjust(100)
        return left(correlator, calls, ended)
      })))
  )
]

/**
 * All laws of a correlator.
 *
 * @category laws
 * @since 0.1.0
 */
export const ofCorrelator = (correlated: Correlated, options?: Arbitrary.CheckOptions): ReadonlyArray<Law> => [
  ...ending(correlated, options),
  ...throwing(correlated)
]

type Make = Correlated["make"]

/** The log of what the callbacks throw on purpose is dropped. */
const timed = (body: Body): Body => Effect.provide(body, [TestClock.layer(), Logger.layer([])])

const boom = () => {
  throw new Error("thrown by a callback")
}

const registration = (timeout: number, resume: Registration["resume"]): Registration => ({
  method: "m",
  timeout,
  resume
})

const success = ({ id }: Waiting): Message.Success => ({ _tag: "Success", id, result: id })

/** How a call ended that was cut off. */
const disconnected = (outcome: Outcome): string => {
  if (Exit.isSuccess(outcome)) return "a result"
  const [reason] = outcome.cause.reasons
  const error = reason?._tag === "Fail" ? reason.error : undefined
  return error?._tag === "Disconnected" ? `${error.reason._tag} ${error.sent}` : error?._tag ?? "no error"
}

/** Says which calls did not end exactly once. */
const left = (correlator: Correlator, calls: ReadonlyArray<Waiting>, ended: ReadonlyArray<number>): Verdict => {
  const waiting = calls.filter((call) => correlator.isWaiting(call)).map(({ id }) => id)
  if (waiting.length > 0 || correlator.size() > 0) return `still registered: ${waiting.join(", ") || correlator.size()}`
  return ended.every((times) => times === 1) ? undefined : `the calls ended ${ended.join(", ")} times`
}

/** One thing that happens to a correlator. `call` counts back from the call that was registered last. */
interface Step {
  readonly action: "register" | "settle" | "refuse" | "progress" | "forget" | "wait"
  readonly call: number
  readonly milliseconds: number
}

const history: Arbitrary.Arbitrary<ReadonlyArray<Step>> = sequence(
  Arbitrary.all({
    action: elements<Step["action"]>("register", "register", "settle", "refuse", "progress", "forget", "wait"),
    call: below(6),
    milliseconds: below(60)
  }),
  30
)

/** Plays a history, and holds what each step gives against a list of the calls that wait. */
const play = (make: Make, steps: ReadonlyArray<Step>): Body =>
  Effect.gen(function*() {
    const correlator = yield* make({ onTimeout: () => {} })
    const calls: Array<{ readonly call: Waiting; ended: number; forgotten: boolean }> = []
    let wrong: Verdict
    const register = (timeout: number) => {
      const index = calls.length
      const call = correlator.register({
        ...registration(timeout, () => {
          const entry = calls[index]
          if (entry === undefined) return
          entry.ended++
          if (correlator.isWaiting(call)) wrong ??= `call ${call.id} was resumed while it was registered`
        }),
        onProgress: (params: Schema.Json) => {
          if (params !== call.id) wrong ??= `call ${call.id} got the progress of ${String(params)}`
        }
      })
      calls.push({ call, ended: 0, forgotten: false })
    }
    for (const { action, call: back, milliseconds } of steps) {
      const entry = calls[calls.length - 1 - back]
      if (action === "wait") yield* TestClock.adjust(milliseconds)
      else if (action === "register" || entry === undefined) register(milliseconds + 1)
      else {
        const { call } = entry
        const waits = entry.ended === 0 && !entry.forgotten
        const taken = react(correlator, action, call)
        if (taken !== waits) wrong ??= `${action} of call ${call.id} gave ${taken}, but it ${waits ? "waits" : "ended"}`
        if (action === "forget") entry.forgotten = true
      }
      const waiting = calls.filter(({ ended, forgotten }) => ended === 0 && !forgotten).length
      if (correlator.size() !== waiting) wrong ??= `${correlator.size()} calls wait, and not ${waiting}`
    }
    correlator.close({ _tag: "EndOfInput" }, () => false)
    yield* TestClock.adjust(1_000)
    const twice = calls.find(({ ended, forgotten }) => forgotten ? ended > 1 : ended !== 1)
    return wrong ?? (twice === undefined ? undefined : `call ${twice.call.id} ended ${twice.ended} times`)
  })

const react = (correlator: Correlator, action: "settle" | "refuse" | "progress" | "forget", call: Waiting): boolean => {
  switch (action) {
    case "settle":
      return correlator.settle(success(call))
    case "refuse":
      return correlator.refuse(new Message.InvalidResponse({ id: call.id, rule: "it is malformed" }))
    case "progress":
      return correlator.progress(call.id, call.id)
    case "forget":
      return correlator.forget(call)
  }
}

/** Calls by the milliseconds that each is registered after the one before, and that it waits. */
const deadlines = Arbitrary.array(Arbitrary.all({ after: below(20), timeout: below(80) }), {
  minLength: 1,
  maxLength: 8
})

const punctual = (make: Make, deadlines: ReadonlyArray<{ readonly after: number; readonly timeout: number }>): Body =>
  Effect.gen(function*() {
    const correlator = yield* make({ onTimeout: () => {} })
    let now = 0
    let wrong: Verdict
    const ends = deadlines.map(() => 0)
    const pass = (milliseconds: number) =>
      Effect.gen(function*() {
        for (let passed = 0; passed < milliseconds; passed++) {
          now++
          yield* TestClock.adjust(1)
        }
      })
    for (const [index, { after, timeout }] of deadlines.entries()) {
      yield* pass(after)
      const due = now + timeout
      correlator.register(registration(timeout, (outcome) => {
        ends[index]!++
        const how = disconnected(outcome)
        if (how !== "RequestTimeout") wrong ??= `a call whose time was over ended with ${how}`
        if (now < due || now > due + 10) wrong ??= `a call that was due after ${due} ms ended after ${now} ms`
      }))
    }
    yield* pass(120)
    return wrong ?? (ends.every((times) => times === 1) ? undefined : `the calls ended ${ends.join(", ")} times`)
  })
