import { assert, describe, it } from "@effect/vitest"
import * as McpHttp from "@parley/mcp/McpHttp"
import * as McpHttpClient from "@parley/mcp/McpHttpClient"
import * as McpResource from "@parley/mcp/McpResource"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import * as NodeHttp from "@parley/node/NodeHttp"
import { Effect } from "effect"
import { byAuthorization } from "../http-server/support/web.ts"

/** A client whose credentials a test changes, of a server that counts how often it is read. */
const setup = Effect.fnUntraced(function*(scope: "public" | "private") {
  let reads = 0
  let lists = 0
  let requests = 0
  let sender = "ada"
  const server = yield* McpServer.make({
    name: "mail",
    version: "1",
    cache: { ttlMs: 60_000, cacheScope: scope },
    features: [
      McpResource.make(
        "mail:inbox",
        { name: "inbox" },
        (call) => Effect.sync(() => `inbox ${++reads} of ${call.principal}`)
      ),
      McpTool.make("wipe", {}, () => Effect.succeed("wiped"))
    ],
    middleware: (handler) => (call) => {
      if (call.method === "tools/list") lists++
      return handler(call)
    }
  })
  const endpoint = yield* McpHttp.endpoint(server, { authorize: byAuthorization })
  const { address } = yield* NodeHttp.serve(endpoint, { port: 0, host: "127.0.0.1", path: "/mcp" })
  const client = yield* McpHttpClient.make(yield* NodeHttp.makeFetcher(), {
    name: "c",
    version: "1",
    url: address,
    headers: Effect.sync(() => ({ authorization: sender, "x-request-id": `${++requests}` }))
  })
  const read = Effect.map(
    client.readResource("mail:inbox"),
    ({ contents: [first] }) => first !== undefined && "text" in first ? first.text : undefined
  )
  return {
    read,
    list: client.listTools(),
    lists: () => lists,
    as: (name: string) =>
      Effect.sync(() => {
        sender = name
      })
  }
})

describe("a result that is kept", () => {
  it.live("and private is given to the identity alone that it was sent to", () =>
    Effect.gen(function*() {
      const { as, list, lists, read } = yield* setup("private")
      assert.strictEqual(yield* read, "inbox 1 of ada")
      yield* as("eve")
      assert.strictEqual(yield* read, "inbox 2 of eve")
      assert.strictEqual(yield* read, "inbox 2 of eve")
      yield* as("ada")
      assert.strictEqual(yield* read, "inbox 1 of ada")
      const before = lists()
      yield* list
      yield* list
      yield* as("eve")
      yield* list
      assert.strictEqual(lists() - before, 2)
    }))

  it.live("and public is given to all", () =>
    Effect.gen(function*() {
      const { as, list, lists } = yield* setup("public")
      yield* list
      const before = lists()
      yield* as("eve")
      yield* list
      assert.strictEqual(lists(), before)
    }))
})
