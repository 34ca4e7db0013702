/** The suite `jsonrpc`: what JSON-RPC 2.0 asks of every server, held against the corpus of wire cases. */
import * as Corpus from "@parley/conformance/Corpus"
import * as Effect from "effect/Effect"
import * as Suite from "../../../Suite.ts"
import * as Json from "../../probe/Json.ts"
import type { Answer } from "../../probe/Line.ts"
import type { Run } from "../../protocol/Protocol.ts"
import * as cases from "./cases.ts"
import * as Judge from "./Judge.ts"
import { type Repair, repairs } from "./repairs.ts"
import { responses } from "./responses.ts"
import { type CorpusRule, ruleOf, rules } from "./rules.ts"

/** How many findings of one rule are told: those that follow are of one kind with them. */
const mostFindings = 3

interface Subject {
  readonly run: Run
  /** The rules that have failed so far. */
  readonly failed: Set<string>
}

/** A rule that the subject hears of when it fails. */
const told = (rule: Suite.Rule<Subject>): Suite.Rule<Subject> => ({
  ...rule,
  check: (subject) =>
    Effect.tap(rule.check(subject), (findings) =>
      Effect.sync(() => {
        if (findings.length > 0) subject.failed.add(rule.id)
      }))
})

const ofCorpus = (rule: CorpusRule): Suite.Rule<Subject> => {
  const own = cases.where((one) => ruleOf(one) === rule)
  return {
    ...rule,
    check: ({ failed, run }) =>
      Effect.gen(function*() {
        const known = [...repairs].filter(([id]) => failed.has(id))
        const apart = rule.apart?.(run.spoken.usage)
        if (apart !== undefined) return yield* new Suite.NotApplicable({ reason: apart })
        const { fractions, positional } = run.spoken.usage
        const isCarried = (one: Corpus.WireCase) =>
          (run.target._tag === "Http" || Corpus.isLine(one)) && (positional || !isPositional(one))
          && (fractions || !hasFraction(one))
        const findings: Array<Suite.Finding> = []
        let isKnown = false
        const carried = own.filter(isCarried)
        const isSilent = yield* areSilent(run, carried)
        for (const one of carried.filter((one) => !isSilent || one.reply !== undefined)) {
          const finding = yield* Effect.catchTag(
            tried(run, rule, one, known.map(([, repair]) => repair)),
            "Unverified",
            // A server that an earlier text has ended is not there for the next one.
            (error) => findings.length === 0 ? Effect.fail(error) : Effect.succeed("gone" as const)
          )
          if (finding === "gone") break
          if (finding === "known") isKnown = true
          else if (finding !== undefined) findings.push(finding)
          if (findings.length === mostFindings) break
        }
        if (isKnown && findings.length === 0) {
          const because = known.map(([id]) => id)
          return yield* new Suite.Unverified({
            reason: `all that is wrong is found by ${because.join(" and ")}`,
            because
          })
        }
        return findings
      })
  }
}

const hasFraction = ({ input }: Corpus.WireCase): boolean => {
  const id = Json.objectOf(input)?.["id"]
  return typeof id === "number" && !Number.isInteger(id)
}

const isPositional = ({ input }: Corpus.WireCase): boolean => Array.isArray(Json.objectOf(input)?.["params"])

/** Sends all texts that must not be answered in one go: only where something comes is each of them tried. */
const areSilent = Effect.fnUntraced(function*(run: Run, cases: ReadonlyArray<Corpus.WireCase>) {
  const [last, ...others] = cases.filter(({ reply }) => reply === undefined).toReversed()
  if (last === undefined || run.target._tag === "Http") return false
  const line = yield* run.shared
  const before = line.passed().filter(isReceived).length
  for (const { input } of others) yield* line.send(input)
  const answer = yield* line.ask(last.input)
  return answer.isWhole && answer.ended === undefined && line.passed().filter(isReceived).length === before
})

const isReceived = ({ direction }: Suite.Passed): boolean => direction === "received"

/** Sends one text, and gives what is wrong with the answers: `known` where other rules have found all of it. */
const tried = Effect.fnUntraced(function*(
  run: Run,
  rule: CorpusRule,
  one: Corpus.WireCase,
  known: ReadonlyArray<Repair>
) {
  const first = yield* asked(run, rule, one)
  if (run.target._tag === "Http" || first.ended === undefined || first.texts.length > 0) {
    return yield* judged(run, rule, one, known, first)
  }
  // The connection may have ended for the text before, just after that was answered.
  yield* run.renew
  return yield* judged(run, rule, one, known, yield* asked(run, rule, one))
})

const asked = Effect.fnUntraced(function*(run: Run, rule: CorpusRule, one: Corpus.WireCase) {
  const line = yield* run.shared
  const reply = Judge.replyOf(one.reply, rule.leniency)
  const at = line.passed().length
  // Over HTTP, a server that ends leaves a request without an answer. It was there before: the suite has asked it.
  const answer = yield* Effect.catchTag(
    line.ask(one.input, Judge.isSilent(reply, run.spoken.usage) ? undefined : Judge.isEnough),
    "Unverified",
    (error): Effect.Effect<Answer, Suite.Unverified> =>
      line.passed().slice(0, at).some(isReceived)
        ? Effect.succeed({ texts: [], ended: error.reason, isWhole: false, exchange: line.passed().slice(at) })
        : Effect.fail(error)
  )
  return answer
})

const judged = Effect.fnUntraced(function*(
  run: Run,
  rule: CorpusRule,
  one: Corpus.WireCase,
  known: ReadonlyArray<Repair>,
  answer: Answer
) {
  const reply = Judge.replyOf(one.reply, rule.leniency)
  const wrongWith = (texts: ReadonlyArray<string>) => Judge.judge(reply, texts, run.spoken.usage, rule.leniency)
  const wrong = wrongWith(answer.texts)
  const dead = answer.ended ?? (answer.isWhole ? undefined : "the server answered nothing more")
  if (dead !== undefined) yield* run.renew
  if (wrong === undefined && dead === undefined) return undefined
  const repaired = known.reduce((texts, repair) => repair(texts, one.input), answer.texts)
  if (dead === undefined && known.length > 0 && wrongWith(repaired) === undefined) return "known"
  return {
    expected: `${Judge.describe(reply)}, for ${one.name}`,
    received: [wrong, dead].filter((text) => text !== undefined).join("; "),
    exchange: answer.exchange
  }
})

export const jsonrpc: Suite.Suite<Run> = Suite.make({
  name: "jsonrpc",
  title: "JSON-RPC 2.0: each MUST and SHOULD of the specification",
  prepare: (run: Run) =>
    Effect.gen(function*() {
      const line = yield* run.shared
      // A server that has answered once was there, and has ended where it answers no more.
      if (run.target._tag === "Http") {
        yield* line.ask(`{"jsonrpc":"2.0","id":"first","method":"${cases.unknown("first")}"}`)
      }
      return { run, failed: new Set<string>() }
    }),
  // A response that is none, or has another id, breaks most of the others, too: the rules that say so come first.
  rules: [
    ...responses.map((rule) => ({ ...rule, check: ({ run }: Subject) => rule.check(run) })),
    ...rules.toSorted((one, other) => Number(repairs.has(other.id)) - Number(repairs.has(one.id))).map(ofCorpus)
  ].map(told)
})
