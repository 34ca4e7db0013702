/** Rules about each response by itself, looked at where calls succeed and where they fail. */
import * as Batch from "@parley/protocol/Batch"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Finding, Rule } from "../../../Suite.ts"
import * as Json from "../../probe/Json.ts"
import type { Answer } from "../../probe/Line.ts"
import type { Run } from "../../protocol/Protocol.ts"
import { unknown } from "./cases.ts"

const specification = "https://www.jsonrpc.org/specification"

/** Sends one request after the other, and gives what came for each until the server was silent again. */
const asked = (run: Run): Effect.Effect<ReadonlyArray<Answer>, Effect.Error<Run["shared"]>> =>
  Effect.forEach(
    [...run.spoken.harmless, { method: unknown("nothing"), params: undefined }],
    (call, at) =>
      Effect.gen(function*() {
        const line = yield* run.shared
        const begun = line.passed().length
        const answer = yield* line.ask(JSON.stringify({ jsonrpc: "2.0", id: `one-${at}`, ...call }))
        if (run.target._tag === "Http" || answer.ended !== undefined || Json.hasResponse(answer.texts)) {
          return answer
        }
        // A server that handles requests beside each other may have answered one that was sent later.
        yield* line.until(Json.isResponse, run.patience.answer, begun)
        yield* Effect.sleep(run.patience.silence)
        const exchange = line.passed().slice(begun)
        return {
          ...answer,
          exchange,
          texts: exchange.filter(({ direction }) => direction === "received").map(({ text }) => text)
        }
      })
  )

const findings = (answers: ReadonlyArray<Answer>, wrong: (answer: Answer) => Omit<Finding, "exchange"> | undefined) =>
  answers.flatMap((answer) => {
    const found = wrong(answer)
    return found === undefined ? [] : [{ ...found, exchange: answer.exchange }]
  })

export const responses: ReadonlyArray<Rule<Run>> = [
  {
    id: "jsonrpc/response-shape",
    title: "A response has the version, its id, and either a result or an error with a whole code and a message",
    level: "must",
    section: `${specification}#response_object`,
    check: (run) =>
      Effect.map(asked(run), (answers) =>
        findings(answers, ({ texts }) => {
          for (const text of texts.filter(Json.isResponse)) {
            const decoded = Batch.decode(text)
            if (!Batch.isMembers(decoded) && Result.isFailure(decoded)) {
              return { expected: "a response of JSON-RPC 2.0", received: `${text}: ${decoded.failure.rule}` }
            }
          }
          return undefined
        }))
  },
  {
    id: "jsonrpc/one-response",
    title: "A request is answered exactly once",
    level: "must",
    section: `${specification}#response_object`,
    check: (run) =>
      Effect.map(asked(run), (answers) =>
        findings(answers, ({ texts }) => {
          const count = texts.filter(Json.isResponse).length
          return count === 1
            ? undefined
            : { expected: "one response", received: count === 0 ? "none" : `${count} responses` }
        }))
  }
]
