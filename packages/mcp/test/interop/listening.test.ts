import { assert, describe, it } from "@effect/vitest"
import * as McpHttp from "@parley/mcp/McpHttp"
import * as NodeHttp from "@parley/node/NodeHttp"
import { Effect, Exit, Queue, Scope } from "effect"
import { attempt, type Connected } from "./support/foreign.ts"
import * as officialV2 from "./support/officialV2.ts"
import * as places from "./support/places.ts"

const uri = "text://greeting"

const modern = { pin: "2026-07-28" }

/** Listens, hears of a change, and gives how it ended when the server does. */
const listened = Effect.fnUntraced(function*(
  { callTool, client, heard }: Connected & { readonly client: officialV2.Client },
  close: Effect.Effect<void>
) {
  const subscription = yield* attempt(() => client.listen({ resourceSubscriptions: [uri] }))
  assert.deepStrictEqual(subscription.honoredFilter, { resourceSubscriptions: [uri] })
  yield* callTool("touch", { uri })
  assert.strictEqual(yield* Queue.take(heard.updates), uri)
  yield* close
  return yield* Effect.promise(() => subscription.closed)
})

describe("a subscription of the official SDK's client, version 2", () => {
  it.live("ends in order when a server in memory closes", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const transport = yield* Scope.provide(Effect.flatMap(places.server, officialV2.inMemory), scope)
      const foreign = yield* officialV2.connect(transport, modern)
      assert.strictEqual(yield* listened(foreign, Scope.close(scope, Exit.void)), "graceful")
    }))

  it.live("ends in order when an endpoint closes, and its host goes on", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const endpoint = yield* Scope.provide(Effect.flatMap(places.server, McpHttp.endpoint), scope)
      const { address } = yield* NodeHttp.serve(endpoint, { port: 0, path: "/mcp" })
      const foreign = yield* officialV2.connect(officialV2.http(address), modern)
      assert.strictEqual(yield* listened(foreign, Scope.close(scope, Exit.void)), "graceful")
    }))

  it.live("ends in order when an endpoint closes with its host", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const url = yield* Scope.provide(Effect.flatMap(places.server, places.hosted), scope)
      const foreign = yield* officialV2.connect(officialV2.http(url), modern)
      assert.strictEqual(yield* listened(foreign, Scope.close(scope, Exit.void)), "graceful")
    }))
})
