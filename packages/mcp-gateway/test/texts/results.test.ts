/** Results pass through a gateway in the text that they came in, and none in which a name stands twice. */
import { assert, describe, it } from "@effect/vitest"
import * as McpUpstream from "@parley/mcp-gateway/McpUpstream"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpStdioClient from "@parley/mcp/McpStdioClient"
import * as McpError from "@parley/mcp/wire/McpError"
import type { Limits } from "@parley/protocol/Limits"
import { ExactNumber } from "@parley/protocol/shared"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import * as Transport from "@parley/transport/Transport"
import { Effect, Logger, Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"
import { named, type Pair, pairs } from "../support/pairs.ts"
import * as texts from "./texts.ts"

/** Answers calls of the tool `t`, gets of the prompt `p` and reads of `test://r` with the text of a response. */
const answering = (pair: Pair, response: (id: string) => string) => {
  const others = texts.answer(["1", "1"], pair.far)
  const methods = ["tools/call", "prompts/get", "resources/read"]
  return (text: string): ReadonlyArray<string> => {
    const { id, method } = JSON.parse(text)
    return methods.includes(method) ? [response(JSON.stringify(id))] : others(text)
  }
}

interface Asked {
  readonly near?: Partial<Limits>
  readonly method?: "tools/call" | "prompts/get" | "resources/read"
}

/** The text that a client receives, where the server behind answers so. */
const passed = Effect.fnUntraced(function*(
  pair: Pair,
  response: (id: string) => string,
  { method = "tools/call", near }: Asked = {}
) {
  const server = yield* McpUpstream.server({
    name: "far",
    connect: (options) =>
      McpStdioClient.make({
        ...options,
        protocolVersion: pair.far,
        start: texts.server(answering(pair, response), [])
      })
  })
  const [here, there] = yield* MemoryTransport.makePair()
  yield* Effect.forkScoped(
    McpServer.serveWith({ limits: near }).pipe(
      Effect.provideService(McpServer.McpServer, server),
      Effect.provideService(Transport.Transport, there)
    )
  )
  const { ask } = yield* texts.client(here, pair.near)
  const named = { "tools/call": `"name":"t"`, "prompts/get": `"name":"p"`, "resources/read": `"uri":"test://r"` }
  return yield* ask(method, `{${named[method]},"_meta":{"mine":1}}`)
}, (effect) => Effect.provide(Effect.scoped(effect), Logger.layer([])))

const kindOf = ({ far }: Pair): string => far === "2026-07-28" ? `"resultType":"complete",` : ""

const result = (pair: Pair, members: string) => (id: string) =>
  `{"jsonrpc":"2.0","id":${id},"result":{${kindOf(pair)}${members}}}`

/** Texts that JavaScript would write otherwise. */
const content = [
  `[{"text":"\\u0061\\/b","type":"text","_meta":{"b":1.0,"1":1e400,"id":12345678901234567890}}]`,
  `[{"type":"resource_link","name":"n","uri":"test:\\/\\/r"} , {"type":"text","text":"\\ud800"}]`,
  `[ {"type":"resource","resource":{"uri":"test://r","text":"\\"}]}\\"","_meta":{"__proto__":{"a":1.0}}}} ]`
]

const twice = [
  `"content":[],"content":[]`,
  `"content":[],"isError":false,"isError":true`,
  `"content":[],"isError":false,"\\u0069sError":true`,
  `"content":[{"type":"text","text":"a","text":"b"}]`,
  `"content":[{"type":"text","text":"a","\\u0074ext":"b"}]`,
  `"content":[{"type":"resource_link","name":"n","uri":"test://r","uri":"file:///etc/passwd"}]`,
  `"content":[{"type":"resource","resource":{"uri":"test://r","text":"a","\\u0075ri":"b"}}]`,
  `"content":[],"_meta":{"a":1,"a":2}`,
  `"content":[],"_meta":{"__proto__":1,"__proto__":{"b":2}}`,
  `"content":[],"structuredContent":{"amount":1,"amount":1000}`,
  `"content":[],"structuredContent":{"rows":[{"deep":[{"amount":1.0,"\\u0061mount":1000}]}]}`
]

const Json = Schema.Record(Schema.String, Schema.Json)

describe("the result of a server behind a gateway", () => {
  for (const pair of pairs) {
    it.live(`passes with its digits, escapes, order and blanks: ${named(pair)}`, () =>
      Effect.forEach(content, (text) =>
        Effect.gen(function*() {
          const structured = `{"z":{"b":"\\u00e4","1":-0,"a":[1.0, 2e3]} ,"a":1.50}`
          const answer = yield* passed(pair, result(pair, `"content":${text},"structuredContent":${structured}`))
          assert.include(answer, `"content":${text}`)
          assert.include(answer, `"structuredContent":${structured}`)
          const messages = `[{"role":"user", "content":{"type":"text","text":"\\u0061"}}]`
          const prompt = yield* passed(pair, result(pair, `"messages":${messages}`), { method: "prompts/get" })
          assert.include(prompt, `"messages":${messages}`)
          const contents = `[{"uri":"test://r", "text":"\\u0061","_meta":{"n":1.0}}]`
          const read = yield* passed(pair, result(pair, `"contents":${contents}`), { method: "resources/read" })
          assert.include(read, `"contents":${contents}`)
        }), { discard: true }))

    it.live(`is refused where a name stands twice in it, and the error names the server: ${named(pair)}`, () =>
      Effect.forEach([
        ...twice.map((members) => result(pair, members)),
        (id: string) => `{"jsonrpc":"2.0","id":${id},"result":{"content":[]},"result":{"content":[]}}`,
        (id: string) => `{"jsonrpc":"2.0","id":0,"id":${id},"result":{"content":[]}}`
      ], (response) =>
        Effect.gen(function*() {
          const { error } = JSON.parse(yield* passed(pair, response))
          assert.propertyVal(error, "code", McpError.UpstreamFailed)
          assert.deepStrictEqual(error.data, { server: "far" })
        }), { discard: true }))

    it.live.prop(
      `is the same value, whatever it is: ${named(pair)}`,
      { json: Arbitrary.schema(Json) },
      ({ json }) =>
        Effect.gen(function*() {
          const text = JSON.stringify(json, undefined, 1)
          const answer = yield* passed(pair, result(pair, `"content":[],\r\n"structuredContent":${text}`))
          assert.notMatch(answer, /[\r\n]/)
          const { result: read } = Object(ExactNumber.parseUnsafe(answer))
          assert.deepStrictEqual(read.structuredContent, ExactNumber.parseUnsafe(text))
        }),
      { arbitrary: { runs: 10 } }
    )

    it.live(`nests as deep as a text may, and no deeper: ${named(pair)}`, () =>
      Effect.gen(function*() {
        const nested = (levels: number) => `{"a":${"[".repeat(levels)}${"]".repeat(levels)}}`
        const answerOf = (levels: number) =>
          passed(pair, result(pair, `"content":[],"structuredContent":${nested(levels)}`))
        assert.include(yield* answerOf(509), nested(509))
        const { error } = JSON.parse(yield* answerOf(510))
        assert.deepStrictEqual(error.data, { server: "far" })
      }))

    it.live(`is refused where it is larger than a frame: ${named(pair)}`, () =>
      Effect.gen(function*() {
        const large = result(pair, `"content":[{"type":"text","text":"${"x".repeat(20_000)}"}]`)
        const near = yield* passed(pair, large, { near: { frame: 10_000 } })
        assert.include(near, "Response too large")
        const { result: fits } = JSON.parse(yield* passed(pair, large, { near: { frame: 30_000 } }))
        assert.lengthOf(fits.content[0].text, 20_000)
      }))
  }
})
