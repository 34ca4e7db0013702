/** Numbers that a double cannot hold pass through a gateway as they came. */
import { assert, describe, it } from "@effect/vitest"
import * as McpGateway from "@parley/mcp-gateway/McpGateway"
import * as McpUpstream from "@parley/mcp-gateway/McpUpstream"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpStdioClient from "@parley/mcp/McpStdioClient"
import * as McpTool from "@parley/mcp/McpTool"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import * as Transport from "@parley/transport/Transport"
import { Effect, Schema } from "effect"
import { named, pairs } from "../support/pairs.ts"
import * as texts from "./texts.ts"

const Digits = Schema.String.check(
  Schema.isPattern(/^-?(?:0|[1-9][0-9]{0,30})(?:\.[0-9]{1,20})?(?:[eE][+-]?[0-9]{1,3})?$/)
)

const wild = ["1234567890123456789", "1e400", "0.1000000000000000055", "-0", "1.0", "-9007199254740993"]

const serve = (server: McpServer.McpServer) =>
  Effect.gen(function*() {
    const [near, far] = yield* MemoryTransport.makePair()
    yield* Effect.forkScoped(
      McpServer.serve.pipe(
        Effect.provideService(McpServer.McpServer, server),
        Effect.provideService(Transport.Transport, far)
      )
    )
    return near
  })

describe("digits behind a gateway", () => {
  for (const pair of pairs) {
    const connecting =
      (numbers: readonly [string, string], heard: texts.Heard) =>
      (options: Parameters<McpUpstream.McpUpstreamOptions["connect"]>[0]) =>
        McpStdioClient.make({
          ...options,
          protocolVersion: pair.far,
          start: texts.server(texts.answer(numbers, pair.far), heard)
        })
    const gateway = (numbers: readonly [string, string], heard: texts.Heard) =>
      McpUpstream.server({ name: "far", connect: connecting(numbers, heard) })
    /** Its questions have the name of their server. */
    const labelling = (numbers: readonly [string, string], heard: texts.Heard) =>
      McpGateway.make({
        name: "gateway",
        version: "1",
        servers: { far: { prefix: "", connect: connecting(numbers, heard) } }
      })

    const passed = Effect.fnUntraced(function*(numbers: readonly [string, string]) {
      const heard: texts.Heard = []
      const own = texts.payload(numbers)
      const near = yield* serve(yield* gateway(numbers, heard))
      const { ask } = yield* texts.client(near, pair.near)
      const meta = `"_meta":{"mine":${own},"count":${numbers[1]}}`
      const tool = yield* ask("tools/call", `{"name":"t","arguments":${own},${meta}}`)
      const called = heard.findLast((text) => text.includes("\"tools/call\"")) ?? ""
      assert.include(called, `"arguments":${own}`)
      assert.include(called, `"mine":${own}`)
      assert.include(called, `"count":${numbers[1]}`)
      assert.include(tool, `"structuredContent":${own}`)
      assert.include(tool, `"content":[{"type":"text","text":"x","_meta":${own}}]`)
      assert.include(tool, `"more":${numbers[0]}`)
      for (
        const answer of [
          tool,
          yield* ask("prompts/get", `{"name":"p",${meta}}`),
          yield* ask("resources/read", `{"uri":"test://r",${meta}}`)
        ]
      ) {
        // The server of the modern era says who it is in there, too.
        assert.include(answer.replace(/"io.modelcontextprotocol\/serverInfo":\{[^}]*\},/, ""), `"_meta":${own}`)
      }
      const list = yield* ask("tools/list", `{${meta}}`)
      assert.include(list, `"default":${own}`)
      assert.include(list, `"own":${own}`)
      const refused = yield* ask("tools/call", `{"name":"refuse",${meta}}`)
      const isBeyond = numbers.some((text) => !Number.isFinite(Number(text)))
      assert.include(refused, isBeyond ? "in which a number is beyond the range of a double" : `"data":${own}`)
    })

    const asked = Effect.fnUntraced(function*(numbers: readonly [string, string]) {
      const heard: texts.Heard = []
      const own = texts.payload(numbers)
      const near = yield* serve(yield* labelling(numbers, heard))
      const answer = `{"action":"accept","content":{"n":${numbers[0]},"m":${numbers[1]}}}`
      const seen: Array<string> = []
      const { ask } = yield* texts.client(near, pair.near, (text) => {
        seen.push(text)
        const { id, method } = JSON.parse(text)
        return method === "elicitation/create"
          ? `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${answer}}`
          : undefined
      })
      const first = yield* ask("tools/call", `{"name":"ask","_meta":{"mine":1}}`)
      seen.push(first)
      if (pair.near === "2026-07-28") {
        const { inputRequests, requestState } = JSON.parse(first).result
        const [key] = Object.keys(inputRequests)
        const state = requestState === undefined ? "" : `,"requestState":${JSON.stringify(requestState)}`
        seen.push(
          yield* ask("tools/call", `{"name":"ask","inputResponses":{"${key}":${answer}}${state},"_meta":{"mine":1}}`)
        )
      }
      const question = seen.find((text) => text.includes("\"requestedSchema\"")) ?? ""
      assert.include(question, `"default":${numbers[0]}`)
      assert.include(question, `"_meta":${own.slice(0, -1)}`)
      assert.include(
        heard.findLast((text) => text.includes("\"accept\"")),
        `"content":{"n":${numbers[0]},"m":${numbers[1]}}`
      )
      if (pair.far === "2025-11-25" && pair.near === "2025-11-25") {
        assert.include(seen.find((text) => text.includes("notifications/message")), `"data":${numbers[1]}`)
      }
    })

    it.live(`are those of the token that progress comes with: ${named(pair)}`, () =>
      Effect.forEach(
        ["12345678901234567890", "9007199254740993", "7"],
        (token) =>
          Effect.scoped(Effect.gen(function*() {
            const seen: Array<string> = []
            const near = yield* serve(yield* gateway(["1", "1"], []))
            const { ask } = yield* texts.client(near, pair.near, (text) => {
              seen.push(text)
              return undefined
            })
            yield* ask("tools/call", `{"name":"t","_meta":{"progressToken":${token}}}`)
            const progress = seen.filter((text) => text.includes("notifications/progress"))
            assert.lengthOf(progress, 1)
            assert.match(progress.join(), new RegExp(`"progressToken":${token}[,}]`))
          })),
        { discard: true }
      ))

    it.live(`pass in questions and in their answers: ${named(pair)}`, () =>
      Effect.forEach(wild, (one) => Effect.scoped(asked([one, wild[0] ?? ""])), { discard: true }))

    it.live(`are those that came: ${named(pair)}`, () =>
      Effect.forEach(wild, (one) => Effect.scoped(passed([one, wild[0] ?? ""])), { discard: true }))

    it.live.prop(
      `are those that came, whatever they are: ${named(pair)}`,
      { a: Digits, b: Digits },
      ({ a, b }) => Effect.scoped(passed([a, b])),
      { arbitrary: { runs: 15 } }
    )
  }

  it.live("are doubles for a handler beside it, which gets none that is infinite", () =>
    Effect.gen(function*() {
      const server = yield* McpUpstream.server({
        name: "far",
        connect: (options) =>
          McpStdioClient.make({ ...options, start: texts.server(texts.answer(["1", "1"], "2025-11-25"), []) })
      })
      yield* server.add([
        McpTool.make("half", { params: { of: Schema.Finite } }, ({ of }) => Effect.succeed(String(of / 2)))
      ])
      const { ask } = yield* texts.client(yield* serve(server), "2025-11-25")
      assert.include(yield* ask("tools/call", `{"name":"half","arguments":{"of":3.0}}`), `"text":"1.5"`)
      assert.include(
        yield* ask("tools/call", `{"name":"half","arguments":{"of":1e400}}`),
        `"error":{"code":-32600,"message":"Invalid Request: a number in \`params\` is beyond the range of a double"`
      )
    }))
})
