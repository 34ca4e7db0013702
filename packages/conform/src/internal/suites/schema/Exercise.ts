/**
 * Calls operations with values of their schemas, those at boundaries first, and keeps what came of it for all rules.
 *
 * Operations take turns, so that the time goes to all of them. One that does not answer is left alone from then on.
 */
import { Excerpt, JsonObject } from "@parley/protocol/shared"
import * as Arbitrary from "effect/Arbitrary"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { type NotApplicable, Unverified } from "../../../Suite.ts"
import type { Operation, Run } from "../../protocol/Protocol.ts"
import * as Values from "../../values/Values.ts"
import * as Trial from "./Trial.ts"

/** The outcomes of all calls. */
export interface Exercise {
  readonly trials: ReadonlyArray<Trial.Trial>
  /** Operations for which no value that fits was found. */
  readonly without: ReadonlyArray<Operation>
}

/** The time that the calls of a run may take which are answered. */
const most = Duration.seconds(12)

/** The time that all of them may take: one rule has a minute, and a call without an answer takes the time of `--timeout`. */
const whole = Duration.seconds(45)

/** Values of one operation, of each kind, in each round. */
const perRound = [{ edges: 4, misfits: 12 }, { edges: 20, misfits: 30 }]

/** Values at random of one operation, and smaller ones that are tried where one shows a fault. */
const random = 10
const mostShrinks = 60

/** A value that is to be sent. */
interface Planned {
  readonly input: Schema.JsonObject
  readonly misfit: Values.Misfit | undefined
}

/** An operation and what is still to be done with it. */
class Candidate {
  readonly operation: Operation
  readonly values: Values.Values
  readonly edges: Array<Planned>
  readonly misfits: Array<Planned>
  readonly known = new Map<string, Trial.Trial>()
  isOver = false

  constructor(operation: Operation) {
    this.operation = operation
    const isDeclared = Object.keys(operation.input).length > 0
    const options = { examples: operation.examples, mostEdges: 60, mostMisfits: 120 }
    this.values = Values.make(isDeclared ? operation.input : { enum: [...operation.examples] }, options)
    this.edges = this.values.edges.flatMap((input) => JsonObject.isObject(input) ? [{ input, misfit: undefined }] : [])
    this.misfits = isDeclared ? this.values.misfits.flatMap(planned) : []
  }
}

/** Arguments are an object in any case: what is none cannot be sent. */
const planned = (misfit: Values.Misfit): ReadonlyArray<Planned> =>
  JsonObject.isObject(misfit.value) ? [{ input: misfit.value, misfit }] : []

const unanswered = ({ name }: Operation) =>
  new Unverified({ reason: `no answer to ${Excerpt.name(name)} in the ${Duration.format(whole)} for all calls` })

/** Makes the calls. */
export const make = Effect.fnUntraced(function*(
  run: Run,
  operations: ReadonlyArray<Operation>
): Effect.fn.Return<Exercise, NotApplicable | Unverified> {
  const trials: Array<Trial.Trial> = []
  const begun = yield* Clock.currentTimeMillis
  const last = begun + Duration.toMillis(whole)
  let end = begun + Duration.toMillis(most)
  const isLate = Effect.map(Clock.currentTimeMillis, (now) => now >= Math.min(end, last))
  const candidates: Array<Candidate> = []
  /** Why nothing can be called any more. */
  let stopped: NotApplicable | Unverified | undefined

  const tried = Effect.fnUntraced(function*(candidate: Candidate, { input, misfit }: Planned) {
    const text = JsonObject.canonical(input)
    const before = candidate.known.get(text)
    if (before !== undefined) return before
    const sent = yield* Clock.currentTimeMillis
    const made = yield* Effect.result(Effect.timeoutOrElse(Trial.make(run, candidate.operation, input, misfit), {
      duration: last - sent,
      orElse: () => Effect.andThen(run.renew, Effect.fail(unanswered(candidate.operation)))
    }))
    if (Result.isFailure(made)) {
      stopped = made.failure
      return undefined
    }
    const trial = made.success
    candidate.known.set(text, trial)
    const { _tag } = trial.outcome
    const isAbsent = Trial.isAbsent(trial.outcome)
    const isSilent = _tag === "Slow" || _tag === "Blocked"
    if (isAbsent || isSilent || _tag === "Ended") candidate.isOver = true
    // An operation that waits for something takes no time from the others.
    if (isSilent) end += (yield* Clock.currentTimeMillis) - sent
    if (_tag !== "Unsent") trials.push(trial)
    return trial
  })

  for (const [round, { edges, misfits }] of perRound.entries()) {
    for (const [at, operation] of operations.entries()) {
      // Values take time, too: a server may have hundreds of operations.
      if (round === 0 && !(yield* isLate)) candidates.push(new Candidate(operation))
      const candidate = candidates[at]
      if (candidate === undefined) break
      const next = [...candidate.edges.splice(0, edges), ...candidate.misfits.splice(0, misfits)]
      for (const one of next) {
        if (candidate.isOver || stopped !== undefined || (yield* isLate)) break
        yield* tried(candidate, one)
      }
    }
  }
  for (const candidate of candidates) {
    const { positive, negative } = candidate.values
    yield* atRandom(candidate, positive, (input) => ({ input, misfit: undefined }))
    yield* atRandom(candidate, negative, (misfit) => ({ input: misfit.value, misfit }))
  }
  // A server that has ended has shown how.
  if (stopped !== undefined && trials.length === 0) return yield* Effect.fail(stopped)
  return {
    trials,
    without: candidates.filter(({ edges, known }) => edges.length + known.size === 0).map(({ operation }) => operation)
  }

  /** The first fault that shows is shrunk. Faults of kinds that are known already are none. */
  function atRandom<A>(
    candidate: Candidate,
    values: Arbitrary.Arbitrary<A>,
    plan: (value: A) => { readonly input: Schema.Json; readonly misfit: Values.Misfit | undefined }
  ) {
    const known = new Set(
      kinds.filter((kind) => [...candidate.known.values()].some((trial) => Trial.shows(trial, kind)))
    )
    let sought: Trial.Kind | undefined
    const holds = (value: A) =>
      Effect.gen(function*() {
        const { input, misfit } = plan(value)
        if (candidate.isOver || stopped !== undefined || (yield* isLate) || !JsonObject.isObject(input)) return true
        const trial = yield* tried(candidate, { input, misfit })
        if (trial === undefined) return true
        const shown = kinds.find((kind) =>
          Trial.shows(trial, kind) && (sought === undefined ? !known.has(kind) : kind === sought)
        )
        sought ??= shown
        return shown === undefined
      })
    return Arbitrary.checkEffect(values, holds, {
      runs: random,
      size: 30,
      seed: run.seed,
      maxDiscards: 100,
      maxShrinks: mostShrinks
    })
  }
})

const kinds: ReadonlyArray<Trial.Kind> = ["refused", "accepted", "odd", "result", "internal"]
