/** The suite `jsonrpc`: what JSON-RPC 2.0 asks of every server, held against the corpus of wire cases. */
import { Corpus } from "@parley/conformance"
import * as Effect from "effect/Effect"
import * as Suite from "../../../Suite.ts"
import type { Run } from "../../protocol/Protocol.ts"
import * as cases from "./cases.ts"
import * as Judge from "./Judge.ts"
import { responses } from "./responses.ts"
import { type CorpusRule, ruleOf, rules } from "./rules.ts"

/** How many findings of one rule are told: those that follow are of one kind with them. */
const mostFindings = 5

const ofCorpus = (rule: CorpusRule): Suite.Rule<Run> => {
  const own = cases.where((one) => ruleOf(one) === rule)
  return {
    ...rule,
    check: (run) =>
      Effect.gen(function*() {
        const apart = rule.apart?.(run.spoken.usage)
        if (apart !== undefined) return yield* new Suite.NotApplicable({ reason: apart })
        const isCarried = run.target._tag === "Http" ? () => true : Corpus.isLine
        const findings: Array<Suite.Finding> = []
        for (const one of own.filter(isCarried)) {
          const line = yield* run.shared
          const reply = Judge.replyOf(one.reply, rule.leniency)
          const answer = yield* line.ask(one.input, Judge.isEnough(reply))
          const wrong = Judge.judge(reply, answer.texts, run.spoken.usage, rule.leniency)
          const dead = answer.ended ?? (answer.isWhole ? undefined : "the server answered nothing more")
          if (wrong !== undefined || dead !== undefined) {
            findings.push({
              expected: `${Judge.describe(reply)}, for ${one.name}`,
              received: [wrong, dead].filter((text) => text !== undefined).join("; "),
              exchange: answer.exchange
            })
          }
          if (dead !== undefined) yield* run.renew
          if (findings.length === mostFindings) break
        }
        return findings
      })
  }
}

export const jsonrpc: Suite.Suite<Run> = Suite.make({
  name: "jsonrpc",
  title: "JSON-RPC 2.0: each MUST and SHOULD of the specification",
  prepare: (run: Run) => Effect.succeed(run),
  rules: [...rules.map(ofCorpus), ...responses]
})
