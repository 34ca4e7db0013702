/** One MCP server at one URL, and two clients that know nothing of each other's era: one has a session, one has none. */
import { McpHttp, McpHttpClient } from "@parley/mcp"
import { NodeHttp } from "@parley/node"
import { Effect } from "effect"
import * as TeaHouse from "./TeaHouse.ts"

const visit = (url: string, revision: "2025-11-25" | "2026-07-28") =>
  Effect.gen(function*() {
    const client = yield* McpHttpClient.make(yield* NodeHttp.makeFetcher(), {
      name: "guest",
      version: "1.0.0",
      url,
      protocolVersion: revision,
      handlers: {
        // In one era the server asks by a request, in the other by its result. Here both are the same.
        elicit: ({ message }) =>
          Effect.sync(() => {
            console.log("asked:", message)
            return { action: "accept", content: { cups: 2 } }
          })
      }
    })
    const { contents } = yield* client.readResource("tea:menu")
    console.log(revision, "menu:", contents.map((one) => "text" in one ? one.text : one.uri).join())

    const { cups, price, tea } = yield* client.callTool("order_tea", { tea: "mint" }, {
      result: TeaHouse.Bill,
      onProgress: ({ message, progress, total }) => console.log(`${progress} of ${total}: ${message}`)
    })
    console.log(`${cups} cups of ${tea} tea cost ${price}`)

    const error = yield* Effect.flip(client.callTool("order_tea", { tea: "coffee" }))
    console.log(error._tag)
  })

await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
  const endpoint = yield* McpHttp.endpoint(yield* TeaHouse.make)
  const { address } = yield* NodeHttp.serve(endpoint, { port: 0, path: "/mcp" })
  yield* visit(address, "2025-11-25")
  yield* visit(address, "2026-07-28")
})))
