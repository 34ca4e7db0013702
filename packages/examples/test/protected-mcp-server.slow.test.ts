/** The protected server as a process, an authorization server of others, and the official client. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { serve, tokenFor } from "../../oauth/test/support/authorizationServer.ts"
import * as Service from "./Service.ts"

const program = new URL("../src/services/protected-mcp-server.ts", import.meta.url)

const call = (url: string, name: string, token?: string) =>
  Effect.promise(async () => {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": name,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` })
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: {
          name,
          arguments: name === "add_note" ? { text: "Buy tea." } : {},
          _meta: {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {}
          }
        }
      })
    })
    return {
      status: response.status,
      challenge: response.headers.get("www-authenticate") ?? "",
      text: await response.text()
    }
  })

describe("the protected MCP server", () => {
  it.live("serves those who have a token with the scopes that a tool needs, and tells the others how to get one", () =>
    Effect.gen(function*() {
      const { issuer } = yield* serve("jwt")
      const { log, stop, url } = yield* Service.start(program, { ISSUER: issuer })
      const stranger = yield* call(url, "list_notes")
      assert.strictEqual(stranger.status, 401)
      const place = /resource_metadata="([^"]+)"/.exec(stranger.challenge)?.[1] ?? ""
      const metadata = yield* Effect.promise(async () => (await fetch(place)).json())
      assert.deepInclude(metadata, { resource: url, authorization_servers: [issuer] })

      const reading = yield* tokenFor(issuer, url, "files:read")
      const refused = yield* call(url, "add_note", reading)
      assert.strictEqual(refused.status, 403)
      assert.include(refused.challenge, `scope="files:read files:write", error="insufficient_scope"`)

      const both = yield* tokenFor(issuer, url, "files:read files:write")
      assert.include((yield* call(url, "add_note", both)).text, "You have 1 notes.")
      assert.include((yield* call(url, "list_notes", reading)).text, "Buy tea.")
      yield* stop
      for (const token of [reading, both]) assert.notInclude(log(), token)
    }))
})
