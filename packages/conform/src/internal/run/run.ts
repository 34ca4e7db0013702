/**
 * Runs the rules of suites, one after the other. Whatever a rule does, it has a verdict and hides no other: one that takes
 * too long or dies has decided nothing.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { RuleResult, Verdict } from "../../Report.ts"
import { type Finding, NotApplicable, type RuleInfo, type Suite, Unverified } from "../../Suite.ts"
import type { Target } from "../../Target.ts"
import type { Line } from "../probe/Line.ts"
import type { Asked, Run, Spoken } from "../protocol/Protocol.ts"

/** Which rules run. */
export interface Selection {
  readonly has: (id: string) => boolean
}

/** Runs the chosen rules, and tells each result as soon as it is there. */
export const run = Effect.fnUntraced(function*(
  target: Target,
  spoken: Spoken,
  suites: ReadonlyArray<Suite<Run>>,
  asked: Asked,
  selection: Selection,
  tell: (result: RuleResult, done: number, all: number) => Effect.Effect<void>
): Effect.fn.Return<ReadonlyArray<RuleResult>, never, Scope.Scope> {
  const { seen, watch, watched } = watching(spoken)
  const context: Run = { ...asked, target, spoken: watched, seen, watch, ...yield* sharedLine(watched) }
  const results: Array<RuleResult> = []
  const chosen = suites.map((suite) => ({ suite, rules: suite.rules.filter(({ id }) => selection.has(id)) }))
  const all = chosen.reduce((sum, { rules }) => sum + rules.length, 0)
  for (const { rules, suite } of chosen) {
    if (rules.length === 0) continue
    yield* Effect.scoped(Effect.gen(function*() {
      const prepared = yield* Effect.exit(bounded(suite.prepare(context)))
      for (const rule of rules) {
        const before = yield* Clock.currentTimeMillis
        const outcome = Exit.isSuccess(prepared)
          ? yield* Effect.exit(bounded(Effect.scoped(prepared.value.get(rule.id) ?? missing)))
          : Exit.failCause(prepared.cause)
        const result = resultOf(suite.name, rule, outcome, (yield* Clock.currentTimeMillis) - before)
        results.push(result)
        yield* tell(result, results.length, all)
      }
    }))
  }
  return results
})

const missing = Effect.fail(new Unverified({ reason: "the suite has no check for this rule" }))

/** How long one rule may take. A run of some hundred rules has to end. */
const most = Duration.seconds(60)

const bounded = <A, R>(
  check: Effect.Effect<A, NotApplicable | Unverified, R>
): Effect.Effect<A, NotApplicable | Unverified, R> =>
  Effect.timeoutOrElse(check, {
    duration: most,
    orElse: () => Effect.fail(new Unverified({ reason: `the probe took longer than ${Duration.format(most)}` }))
  })

const resultOf = (
  suite: string,
  { id, level, section, title }: RuleInfo,
  outcome: Exit.Exit<ReadonlyArray<Finding>, NotApplicable | Unverified>,
  milliseconds: number
): RuleResult => {
  const head = { id, suite, level, section, title, milliseconds, isExpected: false }
  if (Exit.isSuccess(outcome)) {
    const findings = outcome.value
    const verdict: Verdict = findings.length === 0 ? "pass" : level === "must" ? "fail" : "warning"
    return { ...head, verdict, findings }
  }
  const error = Cause.squash(outcome.cause)
  return error instanceof NotApplicable
    ? { ...head, verdict: "notApplicable", reason: error.reason, findings: [] }
    : {
      ...head,
      verdict: "unverified",
      reason: reasonOf(error),
      ...error instanceof Unverified && error.because !== undefined && { because: error.because },
      findings: []
    }
}

const reasonOf = (error: unknown): string =>
  error instanceof Unverified
    ? error.reason
    : `the probe itself has failed: ${error instanceof Error ? error.stack ?? error.message : String(error)}`

/** How many texts are kept of all conversations. */
const mostSeen = 20_000

/** Keeps what the server sends in each conversation that is opened. */
const watching = (spoken: Spoken) => {
  const before: Array<string> = []
  const lines = new Set<Line>()
  const received = (line: Line) =>
    line.passed().flatMap(({ direction, text }) => direction === "received" ? [text] : [])
  const keep = (line: Line) => {
    lines.delete(line)
    before.push(...received(line).slice(0, mostSeen - before.length))
  }
  const watch = (line: Line) => {
    lines.add(line)
    return Effect.addFinalizer(() => Effect.sync(() => keep(line)))
  }
  return {
    watch,
    watched: { ...spoken, open: Effect.tap(spoken.open, watch) },
    seen: () => [...before, ...Array.from(lines).flatMap(received)].slice(0, mostSeen)
  }
}

/** Opens a line when a rule asks for one, and a new one when that has ended. */
const sharedLine = Effect.fnUntraced(function*(
  { open }: Spoken
): Effect.fn.Return<Pick<Run, "renew" | "shared">, never, Scope.Scope> {
  const scope = yield* Effect.scope
  let current: { readonly line: Line; readonly scope: Scope.Closeable } | undefined
  const renew = Effect.suspend(() => {
    const before = current
    current = undefined
    return before === undefined ? Effect.void : Scope.close(before.scope, Exit.void)
  })
  const anew = Effect.uninterruptibleMask((restore) =>
    Effect.gen(function*() {
      yield* renew
      const own = yield* Scope.fork(scope)
      const line = yield* Effect.onError(restore(Scope.provide(open, own)), () => Scope.close(own, Exit.void))
      current = { line, scope: own }
      return line
    })
  )
  return {
    renew,
    shared: Effect.suspend(() =>
      current !== undefined && current.line.ended() === undefined ? Effect.succeed(current.line) : anew
    )
  }
})
