import { assert, describe, it, vi } from "@effect/vitest"
import { Generators, Mutation } from "@parley/conformance/shared"
import { Result } from "effect"
import * as Arbitrary from "effect/Arbitrary"
import * as Message from "../src/Message.ts"

/** A text with a blank before it is parsed as a whole, and says the same. */
const agrees = (text: string) => {
  const [read, parsed] = [Message.decode(text), Message.decode(` ${text}`)]
  if (Result.isSuccess(parsed)) assert.deepStrictEqual(read, parsed, text)
  else assert.isTrue(Result.isFailure(read) && read.failure._tag === parsed.failure._tag, text)
}

/** How often the whole text is parsed. */
const parses = (text: string): number => {
  // After a text that was taken for one in a usual order, so many are parsed without a try.
  for (let times = 0; times < 64; times++) Message.decode("{}")
  const spy = vi.spyOn(JSON, "parse")
  try {
    Message.decode(text)
    return spy.mock.calls.filter(([argument]) => argument === text).length
  } finally {
    spy.mockRestore()
  }
}

/** Parts of messages, some of which are none. */
const part = Generators.elements(
  ...[
    `"id":`,
    `,"id":`,
    `"id":1`,
    `"id":1,`,
    `,"id":12`,
    "0",
    "01",
    "7",
    "-",
    "9007199254740993",
    `"`,
    `\\"`,
    "\n",
    " "
  ],
  ...[`"method":"`, `"method":"m"`, `m`, `"method":"\\u0061",`, `"method":"a\\"b"`, `,"params":`, `,"params":[]`],
  ...[`"result":`, `"result":1`, `null`, `{}`, `[{"id":5}]`, `{"id":1}`, `"x":",\\"id\\":1"`, `,`, `}`, `]`]
)

describe("a message in a usual order", () => {
  it.each([
    `{"jsonrpc":"2.0","id":0,"method":"m","params":{"id":1.0}}`,
    `{"jsonrpc":"2.0","id":999999999999999,"method":"m"}`,
    `{"jsonrpc":"2.0","method":"","params":[1]}`,
    `{"jsonrpc":"2.0","method":"m"}`,
    `{"jsonrpc":"2.0","method":"m","params":[],"id":7}`,
    `{"jsonrpc":"2.0","id":7,"result":",\\"id\\":1"}`,
    `{"jsonrpc":"2.0","result":12,"id":7}`
  ])("promise 2: decode after encode is the identity, and reads %s without its envelope", (text) => {
    assert.strictEqual(parses(text), 0)
    agrees(text)
  })

  it.each([
    `{"jsonrpc":"2.0","id":01,"method":"m"}`,
    `{"jsonrpc":"2.0","id":9007199254740993,"method":"m"}`,
    `{"jsonrpc":"2.0","id":1.0,"method":"m"}`,
    `{"jsonrpc":"2.0","method":"m","id":00}`,
    `{"jsonrpc":"2.0","method":"m","di":1}`,
    `{"jsonrpc":"2.0","id":1,"method":"m","params":{},"id":{}}`,
    `{"jsonrpc":"2.0","id":1,"method":"m","params":null}`,
    `{"jsonrpc":"2.0","id":1,"method":"\\u0061"}`,
    `{"jsonrpc":"2.0","id":1,"method":"a\nb"}`
  ])("promise 3: an id comes back as it was sent, and the parser reads %s", (text) => {
    assert.strictEqual(parses(text), 1)
    agrees(text)
  })

  it("promise 2: decode after encode is the identity, and the method of the text before is told from one that begins so", () => {
    const options = { mistakes: { skipped: 0 } }
    const decode = (text: string) => Message.decode(`{"jsonrpc":"2.0","id":1,"method":${text}}`, options)
    for (const method of ["a", "ab", "a", "", "a"]) {
      const message = { _tag: "Request", id: 1, method, params: {} }
      assert.deepStrictEqual<unknown>(decode(`"${method}","params":{}`), Result.succeed(message))
    }
    assert.isTrue(Result.isFailure(decode(`"ab,"params":{}`)))
  })

  it.each([`xa"`, ` a"`, `1a"`, `[a"`, `"a]`])(
    "promise 1: every text decodes to a value, and the method %s is none",
    (method) => {
      const options = { mistakes: { skipped: 0 } }
      const decode = (text: string) => Message.decode(`{"jsonrpc":"2.0","id":1,"method":${text},"params":{}}`, options)
      assert.isTrue(Result.isSuccess(decode(`"a"`)))
      const read = decode(method)
      assert.isTrue(Result.isFailure(read) && read.failure._tag === "ParseError")
    }
  )

  it.prop("promise 2: decode after encode is the identity, whatever is made of the parts of messages", [
    Arbitrary.array(part, { maxLength: 6 })
  ], ([parts]) => {
    agrees(`{"jsonrpc":"2.0",${parts.join("")}}`)
  }, { arbitrary: { runs: 5_000 } })

  it.prop(
    "promise 2: decode after encode is the identity, also a few edits away from a message",
    [
      Mutation.text
    ],
    ([text]) => agrees(text),
    { arbitrary: { runs: 1_000 } }
  )
})
