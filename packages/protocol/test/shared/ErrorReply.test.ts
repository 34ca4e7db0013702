/** What answers a frame or a text that is no message: reason by kind by dialect. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as Batch from "../../src/Batch.ts"
import * as Dialect from "../../src/Dialect.ts"
import * as Framing from "../../src/Framing.ts"
import * as Limits from "../../src/Limits.ts"
import * as BadFrame from "../../src/shared/BadFrame.ts"
import * as ErrorReply from "../../src/shared/ErrorReply.ts"
import { bytes, raw } from "../framing/framings.ts"

const dialects = [
  Dialect.jsonRpc,
  Dialect.jsonRpc1,
  Dialect.lenient,
  Dialect.lsp,
  Dialect.ethereum,
  Dialect.make({ name: "without id", unreadableId: "omit" }),
  Dialect.make({ name: "silent", unreadableId: "silent" }),
  Dialect.make({ name: "with codes of its own", tooLargeCode: -31_005 })
]

/** Messages whose strings have a `~` in the place to spoil, and the answers: with an id, without one, or none. */
const kinds = {
  request: [`{"jsonrpc":"2.0","id":7,"method":"m","params":["~"]}`, "with id"],
  "request with its id behind": [`{"jsonrpc":"2.0","method":"m","params":["~"],"id":"a"}`, "with id"],
  "request with the id null": [`{"jsonrpc":"2.0","id":null,"method":"m","params":["~"]}`, "with id"],
  "request, spoilt in its method": [`{"jsonrpc":"2.0","id":7,"method":"~"}`, "with id"],
  "request, spoilt in its id": [`{"jsonrpc":"2.0","id":"~","method":"m"}`, "with id"],
  notification: [`{"jsonrpc":"2.0","method":"m","params":["~"]}`, "none"],
  "notification, spoilt in its method": [`{"jsonrpc":"2.0","method":"~"}`, "none"],
  result: [`{"jsonrpc":"2.0","id":7,"result":"~"}`, "none"],
  "result, spoilt in its id": [`{"jsonrpc":"2.0","id":"~","result":1}`, "none"],
  error: [`{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"~"}}`, "none"],
  "batch of requests": [`[{"jsonrpc":"2.0","id":7,"method":"m","params":["~"]}]`, "without id"],
  "batch of responses": [`[{"jsonrpc":"2.0","id":7,"result":"~"}]`, "none"],
  "nothing that is known": [`{"~":7}`, "without id"],
  "no object": [`"~"`, "without id"]
} as const

/** The id that a frame shows which is only too large. */
const idOf = (text: string) => /"id":("[^"]*"|[^,}]*)/.exec(text)?.[1]

const failure = (
  id: string | undefined,
  code: number,
  message: string,
  { responses, unreadableId, version }: Dialect.Dialect
): string | undefined => {
  if (id === undefined && unreadableId === "silent") return undefined
  const name = id ?? (unreadableId === "null" ? "null" : undefined)
  return JSON.stringify({
    ...(version !== "omit" && { jsonrpc: "2.0" }),
    ...(name !== undefined && { id: JSON.parse(name) }),
    ...(responses === "both" && { result: null }),
    error: { code, message }
  })
}

/** Member by member: dialects write them in an order of their own. */
const sorted = (text: string | undefined) =>
  text === undefined ? undefined : JSON.stringify(Object.entries(JSON.parse(text)).toSorted())

const spoilt = (text: string): Uint8Array => raw(text.replace("~", "<ff>"))

/** The ways of a wire to make a bad frame of bytes: whole, one by one, or beyond a limit. */
const madeOf = (
  framing: Framing.Framing,
  text: Uint8Array,
  limits: Partial<Limits.Limits>
): ReadonlyArray<Framing.Frame> => {
  const head = framing.name === "contentLength" ? bytes(`Content-Length: ${text.length}\r\n\r\n`) : new Uint8Array(0)
  const all = Uint8Array.from([...head, ...text, ...framing.name === "line" ? [10] : []])
  const whole = framing.splitter(Limits.make(limits))
  const single = framing.splitter(Limits.make(limits))
  return [
    ...whole.push(all),
    ...framing.name === "none" ? single.push(all) : [...all].flatMap((byte) => [...single.push(Uint8Array.of(byte))])
  ]
}

describe("a bad frame", () => {
  for (const dialect of dialects) {
    describe(`in the dialect ${dialect.name}`, () => {
      for (const [kind, [text, answerOfMost]] of Object.entries(kinds)) {
        // A request with the id null is a notification in some dialects.
        const answer = dialect.nullId === "notification" && text.includes(`"id":null`) ? "none" : answerOfMost
        const parseError = answer === "none" ? undefined : failure(undefined, -32700, "Parse error", dialect)

        it(`is answered with -32700 and without its id where it is no UTF-8, another charset or no text: ${kind}`, () => {
          for (const reason of ["InvalidUtf8", "NotText"] as const) {
            assert.strictEqual(
              sorted(ErrorReply.toBadFrame(BadFrame.ofBytes(reason, spoilt(text)), dialect)),
              sorted(parseError)
            )
          }
          for (const framing of [Framing.line, Framing.contentLength, Framing.concatenated, Framing.none]) {
            for (const frame of madeOf(framing, spoilt(text), {})) {
              if (typeof frame === "string" || frame._tag === "LostPlace") return assert.fail(JSON.stringify(frame))
              assert.strictEqual(frame.reason, "InvalidUtf8")
              assert.strictEqual(sorted(ErrorReply.toBadFrame(frame, dialect)), sorted(parseError))
            }
          }
        })

        it(`is answered with its id where it is only too large: ${kind}`, () => {
          const long = text.replace("~", "~".repeat(100))
          const id = answer === "with id" ? idOf(long) : undefined
          const expected = answer === "none"
            ? undefined
            : failure(id, dialect.tooLargeCode, "Request too large", dialect)
          assert.strictEqual(
            sorted(ErrorReply.toBadFrame(BadFrame.ofText("TooLarge", long), dialect)),
            sorted(expected)
          )
          for (const framing of [Framing.line, Framing.contentLength, Framing.concatenated, Framing.none]) {
            for (const frame of madeOf(framing, bytes(long), { frame: 50 })) {
              if (typeof frame === "string" || frame._tag === "LostPlace") return assert.fail(JSON.stringify(frame))
              assert.strictEqual(frame.reason, "TooLarge")
              assert.strictEqual(sorted(ErrorReply.toBadFrame(frame, dialect)), sorted(expected))
            }
          }
        })

        it(`is answered as the text that stands for it, and as a text that is no JSON: ${kind}`, () => {
          const texts = [BadFrame.toText(BadFrame.ofBytes("InvalidUtf8", spoilt(text)))]
          // A quote and a word behind a string, a raw tab in it, and a number that JSON does not have.
          for (const bad of ["\t", "\u0001"]) texts.push(text.replace("~", bad))
          if (text.includes(`["~"]`)) texts.push(text.replace(`"~"`, "NaN"))
          for (const one of texts) {
            const decoded = Batch.decode(one, dialect)
            if (Batch.isMembers(decoded) || Result.isSuccess(decoded)) return assert.fail(one)
            assert.strictEqual(decoded.failure._tag, "ParseError")
            assert.strictEqual(sorted(ErrorReply.toMalformed(decoded.failure, dialect)), sorted(parseError))
          }
        })
      }
    })
  }

  it("that is a request whose id is too long to be kept is answered as one whose id cannot be read", () => {
    const bad = BadFrame.ofText("TooLarge", `{"jsonrpc":"2.0","id":"${"x".repeat(300)}","method":"m"}`)
    assert.deepStrictEqual([bad.kind, bad.id], ["request", undefined])
    for (const dialect of dialects) {
      assert.strictEqual(
        sorted(ErrorReply.toBadFrame(bad, dialect)),
        sorted(failure(undefined, dialect.tooLargeCode, "Request too large", dialect))
      )
    }
  })
})

describe("a text that is no JSON", () => {
  const replyTo = (text: string) => {
    const decoded = Batch.decode(text)
    return Batch.isMembers(decoded) || Result.isSuccess(decoded)
      ? assert.fail(text)
      : ErrorReply.toMalformed(decoded.failure, Dialect.jsonRpc)
  }

  it.each([
    `{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]`,
    `{"jsonrpc":"2.0","method":"m"`,
    `{"jsonrpc":"2.0","method":"m","params":[1}`,
    `{"jsonrpc":"2.0","method":"m" "id":1}`,
    `{"jsonrpc":"2.0","method":"m",id:1}`,
    `{"jsonrpc":"2.0","method":"m"]`,
    `{"jsonrpc":"2.0","method":"m","id" 1}`,
    `{"jsonrpc":"2.0","method":"m","x":,}`,
    `{"jsonrpc":"2.0","method":"m","x":1 2}`,
    `{"jsonrpc":"2.0","method":"m"}}`,
    `{"jsonrpc":"2.0","method":"m"}{"jsonrpc":"2.0","method":"m"}`
  ])("is no notification where it may have lost its id: %s", (text) => {
    assert.strictEqual(replyTo(text), `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`)
  })

  it("that is a response is known by its id, also where it is cut short", () => {
    const ids = [
      `{"jsonrpc":"2.0","id":7,"result":{"mean":NaN}}`,
      `{"jsonrpc":"2.0","id":7,"result":{"text":"a`,
      `{"result":Infinity,"id":7}`
    ].map((text) => {
      const decoded = Batch.decode(text)
      return Batch.isMembers(decoded) || Result.isSuccess(decoded) || decoded.failure._tag !== "ParseError"
        ? assert.fail(text)
        : [decoded.failure.kind, decoded.failure.id]
    })
    assert.deepStrictEqual(ids, ids.map(() => ["response", "7"]))
  })

  it("tells the same in a text of any length and wherever its characters are cut", () => {
    for (const length of [16_383, 16_384, 16_385, 40_000]) {
      const text = `{"result":"${"𝄞".repeat(length)}\t","id":"𝄞${"x".repeat(length % 7)}"}`
      const decoded = Batch.decode(text)
      if (Batch.isMembers(decoded) || Result.isSuccess(decoded)) return assert.fail(text)
      assert.deepInclude(decoded.failure, { kind: "response", id: `"𝄞${"x".repeat(length % 7)}"` })
    }
  })
})
