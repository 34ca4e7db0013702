/** `mcp-remote`, which lets clients that know only stdio reach our server over HTTP; the client is ours. */
import { assert, describe, it } from "@effect/vitest"
import * as McpStdioClient from "@parley/mcp/McpStdioClient"
import * as NodeChildProcess from "@parley/node/NodeChildProcess"
import { Effect, Logger, Stream } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as offered from "./support/offered.ts"
import * as places from "./support/places.ts"

const program = fileURLToPath(new URL("../../node_modules/mcp-remote/dist/proxy.js", import.meta.url))

describe("mcp-remote and our server", () => {
  it.live("carry a session: identity, pages of tools, calls with progress, failures, and what the server asks", () =>
    Effect.gen(function*() {
      const home = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "mcp-remote-"))),
        (home) => Effect.sync(() => rmSync(home, { recursive: true }))
      )
      const url = yield* Effect.flatMap(places.server, places.hosted)
      const client = yield* McpStdioClient.make({
        name: "ours",
        version: "1",
        protocolVersion: "2025-11-25",
        handlers: { elicit: () => Effect.succeed({ action: "accept", content: { name: "Ada", colour: "red" } }) },
        start: NodeChildProcess.makeTransport({
          command: process.execPath,
          args: [program, url, "--transport", "http-only"],
          env: { HOME: home, MCP_REMOTE_CONFIG_DIR: home },
          endGrace: "500 millis"
        })
      })
      assert.deepInclude(client.serverInfo, { name: offered.identity.name })
      assert.deepStrictEqual((yield* client.listTools()).map(({ name }) => name), offered.toolNames)
      const events = yield* Stream.runCollect(client.streamTool("count", { to: 2 }))
      assert.deepStrictEqual(events.map(({ _tag }) => _tag), ["Progress", "Progress", "Result"])
      const asked = yield* client.callTool("askForm", { message: "Who?" })
      assert.include(JSON.stringify(asked.content), "Ada")
      const refused = yield* Effect.flip(client.callTool("refuse"))
      assert.include(refused.message, "not today")
    }).pipe(Effect.provide(Logger.layer([]))))
})
