import { assert, describe, it } from "@effect/vitest"
import type * as McpContext from "@parley/mcp/McpContext"
import * as McpPrompt from "@parley/mcp/McpPrompt"
import * as McpResource from "@parley/mcp/McpResource"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import * as Revision from "@parley/mcp/wire/Revision"
import { Cause, Effect, Logger, Redacted, Schema } from "effect"
import { modern, open, spoken } from "./support/line.ts"

const serverOf = (handler: (call: McpContext.McpContext) => Effect.Effect<McpTool.Value<undefined>, unknown>) =>
  McpServer.make({ name: "s", version: "1", features: [McpTool.make("t", {}, (_, call) => handler(call))] })

const text = (value: string) => [{ type: "text", text: value }]

describe("asking the client", () => {
  const counts = { runs: 0, once: 0 }
  const asks = (call: McpContext.McpContext) =>
    Effect.gen(function*() {
      counts.runs++
      const ticket = yield* call.memo("ticket", Schema.Int, Effect.sync(() => ++counts.once))
      const name = yield* call.elicit("name", { message: "Who?", fields: { name: Schema.String } })
      return `${ticket} ${name._tag === "Accepted" ? name.content.name : name._tag}`
    })

  it.effect("is a request of the server's own in the legacy era, while the call waits", () =>
    Effect.gen(function*() {
      counts.runs = counts.once = 0
      const { line } = yield* spoken(yield* serverOf(asks), "2025-06-18", { elicitation: {} })
      yield* line.write({ jsonrpc: "2.0", id: "call", method: "tools/call", params: { name: "t" } })
      const { id, method, params } = yield* line.next
      assert.strictEqual(method, "elicitation/create")
      assert.deepInclude(params, { message: "Who?" })
      // The call that waits holds back nothing.
      yield* line.result("ping")
      yield* line.write({ jsonrpc: "2.0", id: id ?? "", result: { action: "accept", content: { name: "Ann" } } })
      assert.deepInclude(yield* line.next, { id: "call", result: { content: text("1 Ann") } })
      assert.deepStrictEqual(counts, { runs: 1, once: 1 })
    }))

  it.effect("is a result that asks in the modern era, after which the handler runs again", () =>
    Effect.gen(function*() {
      counts.runs = counts.once = 0
      const capable = { "io.modelcontextprotocol/clientCapabilities": { elicitation: {} } }
      const line = yield* open(yield* serverOf(asks), { revision: "2026-07-28" })
      const asked = yield* line.result("tools/call", modern({ name: "t" }, capable))
      assert.strictEqual(asked["resultType"], "input_required")
      assert.deepStrictEqual(Object.keys(asked["inputRequests"] ?? {}), ["name"])
      const answers = {
        requestState: asked["requestState"] ?? "",
        inputResponses: { name: { action: "accept", content: { name: "Ann" } } }
      }
      const done = yield* line.result("tools/call", modern({ name: "t", ...answers }, capable))
      assert.deepInclude(done, { resultType: "complete", content: text("1 Ann") })
      assert.deepStrictEqual(counts, { runs: 2, once: 1 })
      const tampered = { ...answers, requestState: `${answers.requestState}x` }
      assert.strictEqual((yield* line.refusal("tools/call", modern({ name: "t", ...tampered }, capable))).code, -32602)
      const other = { ...answers, arguments: { other: true } }
      assert.strictEqual((yield* line.refusal("tools/call", modern({ name: "t", ...other }, capable))).code, -32602)
    }))

  it.effect("in one server is refused by another that has the same key", () =>
    Effect.gen(function*() {
      const requestState = { keys: [Redacted.make("a secret that several servers share")] }
      const capable = { "io.modelcontextprotocol/clientCapabilities": { elicitation: {} } }
      const named = (name: string) => {
        const pay = McpTool.make("pay", {}, (_, call) =>
          Effect.gen(function*() {
            const approval = yield* call.memo("approval", Schema.String, Effect.succeed(name))
            yield* call.elicit("sure", { message: "Sure?", fields: {} })
            return approval
          }))
        const server = McpServer.make({ name, version: "1", requestState, features: [pay] })
        return Effect.flatMap(server, (made) => open(made, { revision: "2026-07-28" }))
      }
      const [staging, again, production] = [
        yield* named("staging"),
        yield* named("staging"),
        yield* named("production")
      ]
      const asked = yield* staging.result("tools/call", modern({ name: "pay" }, capable))
      const retry = modern({
        name: "pay",
        requestState: asked["requestState"] ?? "",
        inputResponses: { sure: { action: "accept", content: {} } }
      }, capable)
      assert.deepInclude(yield* again.result("tools/call", retry), { content: text("staging") })
      assert.deepStrictEqual(yield* production.refusal("tools/call", retry), {
        code: -32602,
        message: "requestState is not for this request: send the request without it"
      })
    }))

  it.effect("for what it did not declare is refused by the protocol, or shown to the model where there is no word for it", () =>
    Effect.gen(function*() {
      const server = yield* serverOf((call) => Effect.asVoid(call.sample("k", { messages: [], maxTokens: 1 })))
      for (const revision of Revision.all) {
        const { line, params } = yield* spoken(server, revision)
        const { error, result } = yield* line.ask("tools/call", params({ name: "t" }))
        if (revision === "2026-07-28") {
          assert.strictEqual(error?.code, -32021)
          assert.deepStrictEqual(error?.data, { requiredCapabilities: { sampling: {} } })
        } else {
          assert.deepInclude(result, { isError: true })
        }
      }
    }))

  it.effect("and an answer that does not fit is refused by the protocol, or shown to the model where there is no word for it", () =>
    Effect.gen(function*() {
      const server = yield* serverOf((call) =>
        Effect.asVoid(call.elicit("age", { message: "How old?", fields: { years: Schema.Int } }))
      )
      const answer = { action: "accept", content: { years: "ten" } }
      for (const revision of ["2025-06-18", "2025-11-25", "2026-07-28"] as const) {
        const { line, params } = yield* spoken(server, revision, { elicitation: {} })
        if (revision === "2026-07-28") {
          const { requestState } = yield* line.result("tools/call", params({ name: "t" }))
          const retry = { name: "t", requestState: requestState ?? "", inputResponses: { age: answer } }
          assert.deepStrictEqual(yield* line.refusal("tools/call", params(retry)), {
            code: -32602,
            message: "Invalid params: inputResponses.age.content.years: Expected number",
            data: [{ path: ["inputResponses", "age", "content", "years"], message: "Expected number" }]
          })
        } else {
          yield* line.write({ jsonrpc: "2.0", id: "call", method: "tools/call", params: { name: "t" } })
          const { id } = yield* line.next
          yield* line.write({ jsonrpc: "2.0", id: id ?? "", result: answer })
          const { result } = yield* line.next
          assert.deepInclude(result, { isError: true })
          assert.include(JSON.stringify(result?.["content"]), "content.years: Expected number")
        }
      }
    }))

  it.effect("is for tools, resources and prompts alike", () =>
    Effect.gen(function*() {
      const roots = (call: McpContext.McpContext) =>
        Effect.map(call.listRoots(), (roots) => roots.map(({ uri }) => uri).join())
      const server = yield* McpServer.make({
        name: "s",
        version: "1",
        features: [
          McpResource.make("test://roots", { name: "roots" }, roots),
          McpPrompt.make("roots", {}, (_, call) => roots(call))
        ]
      })
      const capable = { "io.modelcontextprotocol/clientCapabilities": { roots: {} } }
      const line = yield* open(server, { revision: "2026-07-28" })
      for (
        const [method, params] of [["resources/read", { uri: "test://roots" }], ["prompts/get", {
          name: "roots"
        }]] as const
      ) {
        const asked = yield* line.result(method, modern(params, capable))
        assert.deepStrictEqual(asked["inputRequests"], { roots: { method: "roots/list", params: {} } })
        assert.notProperty(asked, "ttlMs")
        const inputResponses = { roots: { roots: [{ uri: "file:///work" }] } }
        const again = modern({ ...params, requestState: asked["requestState"] ?? "", inputResponses }, capable)
        const done = yield* line.result(method, again)
        assert.include(JSON.stringify(done), "file:///work")
        if (method === "resources/read") assert.deepInclude(done, { ttlMs: 0, cacheScope: "private" })
        assert.strictEqual((yield* line.refusal(method, modern(params))).code, -32021)
      }
    }))
})

it.effect("a state that is refused is told to the log with the reason, and to the client without", () =>
  Effect.gen(function*() {
    const lines: Array<string> = []
    const logger = Logger.make(({ cause, message }) => {
      lines.push(
        [message, ...cause.reasons.map((reason) => Cause.isDieReason(reason) ? reason.defect : reason)].join(" ")
      )
    })
    const server = yield* serverOf((call) => Effect.asVoid(call.listRoots()))
    const { line, params } = yield* Effect.provide(
      spoken(server, "2026-07-28", { roots: {} }),
      Logger.layer([logger])
    )
    const requestState = `eyJhbGciOiJkaXIifQ..${"A".repeat(16)}.AAAA.${"A".repeat(22)}`
    const { code, message } = yield* line.refusal("tools/call", params({ name: "t", requestState }))
    assert.deepStrictEqual([code, message], [
      -32602,
      "requestState is not for this request: send the request without it"
    ])
    assert.strictEqual(lines.length, 1)
    assert.match(lines[0] ?? "", /tools\/call.*-32602.*StateRefused.*Malformed/)
  }))
