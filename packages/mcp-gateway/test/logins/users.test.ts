/** Each user of a server with credentials of users is one of its own: nothing of another decides about their calls. */
import { assert, describe, it } from "@effect/vitest"
import * as McpGateway from "@parley/mcp-gateway/McpGateway"
import * as McpHttp from "@parley/mcp/McpHttp"
import * as McpTool from "@parley/mcp/McpTool"
import * as Content from "@parley/mcp/payload/Content"
import * as McpError from "@parley/mcp/wire/McpError"
import * as Handshake from "@parley/transport/Handshake"
import { Context, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { clientAs, made, names, settled } from "../support/gateways.ts"
import * as users from "./support/users.ts"

describe("the server of a user", () => {
  it.live("has headers compared with the arguments that they repeat", () =>
    Effect.gen(function*() {
      const inputSchema = {
        type: "object" as const,
        properties: { region: { type: "string", "x-mcp-header": "Region" } }
      }
      const server = yield* made("far", [McpTool.raw("read", { inputSchema }, () => Effect.succeed("read"))])
      const gateway = yield* McpGateway.make(yield* users.options(() => server))
      yield* settled
      const serve = yield* McpHttp.makeWebHandler(gateway, {
        access: { hosts: "any" },
        authorize: () => Effect.succeed(Context.make(Handshake.Name, "ada"))
      })
      const call = (headers: Record<string, string>) =>
        Effect.promise(async () => {
          const response = await serve(
            new Request("http://localhost/mcp", {
              method: "POST",
              headers: {
                "content-type": "application/json",
                accept: "application/json, text/event-stream",
                "mcp-protocol-version": "2026-07-28",
                "mcp-method": "tools/call",
                "mcp-name": "far_read",
                ...headers
              },
              body: JSON.stringify({
                jsonrpc: "2.0",
                id: 1,
                method: "tools/call",
                params: {
                  name: "far_read",
                  arguments: { region: "eu" },
                  _meta: {
                    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
                    "io.modelcontextprotocol/clientCapabilities": {}
                  }
                }
              })
            })
          )
          return [response.status, (await response.json()).error?.code]
        })
      assert.deepStrictEqual(yield* call({ "mcp-param-region": "eu" }), [200, undefined])
      assert.deepStrictEqual(yield* call({ "mcp-param-region": "us" }), [400, McpError.HeaderMismatch])
      assert.deepStrictEqual(yield* call({}), [400, McpError.HeaderMismatch])
    }))

  it.effect("tells of its lists at most once in a second", () =>
    Effect.gen(function*() {
      const server = yield* made("far", [McpTool.make("read", {}, () => Effect.succeed("read"))])
      const gateway = yield* McpGateway.make(yield* users.options(() => server))
      const ada = yield* clientAs(gateway, "ada")
      yield* ada.callTool("far_read")
      yield* settled
      yield* TestClock.adjust("2 seconds")
      let count = 0
      yield* gateway.onChange((change) => {
        if ("list" in change && change.list === "tools") count++
      })
      for (let time = 0; time < 5; time++) {
        yield* server.add([McpTool.make(`more${time}`, {}, () => Effect.succeed("more"))])
        yield* settled
      }
      assert.strictEqual(count, 1)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(count, 2)
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(count, 2)
      assert.include(names(yield* ada.listTools()), "far_more4")
    }))

  it.effect("is left alone for whom it fails, and for nobody else", () =>
    Effect.gen(function*() {
      const well = yield* made("far", [McpTool.make("read", {}, () => Effect.succeed("read"))])
      const ill = yield* made("far", [McpTool.make("read", {}, () => Effect.never)])
      const budget = { deadline: "1 second", breaker: { failures: 2, cooldown: "1 minute" } } as const
      const gateway = yield* McpGateway.make(yield* users.options((who) => who === "eve" ? ill : well, { budget }))
      const [ada, eve] = [yield* clientAs(gateway, "ada"), yield* clientAs(gateway, "eve", { timeout: "1 minute" })]
      for (let time = 0; time < 2; time++) {
        const call = yield* Effect.forkChild(Effect.flip(eve.callTool("far_read")), { startImmediately: true })
        yield* settled
        yield* TestClock.adjust("1 second")
        yield* Fiber.join(call)
      }
      assert.propertyVal(
        yield* Effect.flip(eve.callTool("far_read")),
        "text",
        "The server far behind this one has failed 2 times in a row, and is left alone for 60 s"
      )
      assert.deepStrictEqual((yield* ada.callTool("far_read")).content, [Content.text("read")])
    }))
})
