import { assert, describe, it } from "@effect/vitest"
import * as McpPrompt from "@parley/mcp/McpPrompt"
import * as McpResource from "@parley/mcp/McpResource"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import { Effect, type Scope } from "effect"
import { clientAs, gatewayOf, made, settled } from "../support/gateways.ts"

const features = [
  McpTool.make("a", {}, () => Effect.succeed("")),
  McpPrompt.make("a", {}, () => Effect.succeed("")),
  McpResource.make("test://a", { name: "a" }, () => Effect.succeed("")),
  McpResource.template("test://{a}", { name: "a" }, () => Effect.succeed(""))
]

const server = (options: Partial<McpServer.ServerOptions> = {}) =>
  McpServer.make({ name: "server", version: "1", features, cache: { ttlMs: 60_000 }, ...options })

const mounting = (inner: Effect.Effect<McpServer.McpServer, never, Scope.Scope>) =>
  Effect.gen(function*() {
    const outer = yield* server({ features: [] })
    yield* outer.mount(yield* inner)
    return outer
  })

const methods = ["tools/list", "prompts/list", "resources/list", "resources/templates/list"]

const scopesOf = (server: McpServer.McpServer) =>
  Effect.gen(function*() {
    const client = yield* clientAs(server, "ada", { protocolVersion: "2026-07-28" })
    return yield* Effect.forEach(methods, (method) =>
      Effect.map(client.request(method, {}), (result) =>
        (result as { readonly cacheScope?: string }).cacheScope))
  })

const visible: McpServer.ServerOptions["visible"] = (_, { principal }) => principal === "ada"

const own = ({ principal }: { readonly principal: string | undefined }) => principal === "ada"

describe("the lists of a server", () => {
  for (
    const [what, made, scope] of [
      ["that has them for all", server(), "public"],
      ["that has mounted one that has them for all", mounting(server()), "public"],
      ["with `visible`", server({ visible }), "private"],
      ["with `visible`, whatever its author says", server({ visible, cache: { cacheScope: "public" } }), "private"],
      ["of what the caller has the scopes for", server({ listOnlyPermitted: true }), "private"],
      [
        "with a feature that says who may know of it",
        server({ features: features.map((one) => ({ ...one, visible: own })) }),
        "private"
      ],
      ["that has mounted one with `visible`", mounting(server({ visible })), "private"],
      ["that has mounted one that has mounted one with `visible`", mounting(mounting(server({ visible }))), "private"]
    ] as const
  ) {
    it.effect(`${what} are ${scope}`, () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(new Set(yield* scopesOf(yield* made)), new Set([scope]))
      }))
  }

  it.effect("behind which others are reached for each caller are private", () =>
    Effect.gen(function*() {
      const gateway = yield* gatewayOf({ far: yield* made("far", features) })
      yield* settled
      assert.deepStrictEqual(new Set(yield* scopesOf(gateway)), new Set(["private"]))
      const outer = yield* server()
      yield* outer.mount(gateway, { prefix: "g_" })
      assert.deepStrictEqual(new Set(yield* scopesOf(outer)), new Set(["private"]))
    }))

  it.effect("are private where a source of one's own does not say that all have the same", () =>
    Effect.gen(function*() {
      const inner = yield* server()
      const outer = yield* server({ features: [] })
      const { isSame: _, ...source } = inner
      yield* outer.mount(source)
      assert.deepStrictEqual(new Set(yield* scopesOf(outer)), new Set(["private"]))
    }))
})
