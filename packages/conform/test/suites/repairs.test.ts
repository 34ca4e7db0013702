/** One defect that breaks many answers is one failure, and hides no other. */
import { assert, describe, it } from "@effect/vitest"
import { Conform } from "@parley/conform"
import { Corpus } from "@parley/conformance"
import { Effect } from "effect"
import { repairs } from "../../src/internal/suites/jsonrpc/repairs.ts"
import * as Server from "./Server.ts"

type Response = Record<string, unknown>

/** Changes each response, alone or in a batch, and leaves some texts without an answer. */
const answering = (
  change: (response: Response) => Response,
  isSilent: (input: string) => boolean = () => false
): Server.Fault => ({
  answer: (input, right) =>
    isSilent(input) ? [] : right.map((text) => {
      const value: Response | Array<Response> = JSON.parse(text)
      return JSON.stringify(Array.isArray(value) ? value.map(change) : change(value))
    })
})

const blemishes = (fault: Server.Fault, ...only: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const target = yield* Server.target(fault)
    const { results } = yield* Conform.run(target, { only, timeout: 300, protocol: "jsonrpc" })
    const open = results.filter(({ verdict }) => verdict !== "pass" && verdict !== "notApplicable")
    return {
      failed: open.filter(({ verdict }) => verdict !== "unverified").map(({ id }) => id),
      because: new Set(open.flatMap(({ because = [] }) => because)),
      waiting: open.filter(({ because }) => because !== undefined).length
    }
  })

const asText = ({ id, ...others }: Response): Response => ({ ...others, id: typeof id === "number" ? String(id) : id })

const unversioned = ({ jsonrpc: _, ...others }: Response): Response => others

const ofOld = ({ error = null, jsonrpc: _, result = null, ...others }: Response): Response => ({
  ...others,
  error,
  result
})

describe("one defect that breaks many answers", () => {
  const defects = [
    ["ids that come back as texts", asText, ["jsonrpc/id-same", "jsonrpc/id-digits"]],
    ["responses without a version", unversioned, ["jsonrpc/response-shape", "jsonrpc/id-digits"]],
    ["responses of JSON-RPC 1.0", ofOld, ["jsonrpc/response-shape", "jsonrpc/id-digits"]]
  ] as const

  for (const [title, change, failed] of defects) {
    it.live(`is one failure: ${title}`, () =>
      Effect.gen(function*() {
        const found = yield* blemishes(answering(change), "jsonrpc")
        // JavaScript loses digits of ids.
        assert.deepStrictEqual([found.failed, found.because], [failed, new Set([failed[0]])])
        assert.isAbove(found.waiting, 8)
      }))

    it.live(`hides no other: ${title}, and no answer to a text that is no JSON`, () =>
      Effect.gen(function*() {
        const isCut = (input: string) => {
          try {
            JSON.parse(input)
            return false
          } catch {
            return true
          }
        }
        const only = [failed[0], "jsonrpc/parse-error", "jsonrpc/method-not-found"]
        const found = yield* blemishes(answering(change, isCut), ...only)
        assert.deepStrictEqual(found.failed, [failed[0], "jsonrpc/parse-error"])
      }))

    it.live(`is told by each rule alone: ${title}`, () =>
      Effect.gen(function*() {
        const found = yield* blemishes(answering(change), "jsonrpc/method-not-found")
        assert.deepStrictEqual(found.failed, ["jsonrpc/method-not-found"])
      }))
  }

  it("is all that a repair changes: a right reply stays the same", () => {
    for (const { input, reply } of Corpus.corpus) {
      if (reply === undefined) continue
      for (const [id, repair] of repairs) {
        // JSON has no -0 where JavaScript writes it.
        const right: unknown = JSON.parse(JSON.stringify(JSON.parse(reply)))
        assert.deepStrictEqual(repair([reply], input).map((text) => JSON.parse(JSON.stringify(JSON.parse(text)))), [
          right
        ], id)
      }
    }
  })
})
