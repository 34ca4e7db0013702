import { assert, describe, it } from "@effect/vitest"
import type * as Audit from "@parley/mcp-gateway/Audit"
import * as McpGateway from "@parley/mcp-gateway/McpGateway"
import * as McpClientTransport from "@parley/mcp/client/McpClientTransport"
import * as McpClient from "@parley/mcp/McpClient"
import * as McpPrompt from "@parley/mcp/McpPrompt"
import * as McpResource from "@parley/mcp/McpResource"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import * as McpError from "@parley/mcp/wire/McpError"
import { Scopes } from "@parley/oauth/AccessToken"
import * as Handshake from "@parley/transport/Handshake"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import { Transport } from "@parley/transport/Transport"
import { Context, Effect, Schema } from "effect"
import { made, names, reach, settled } from "../support/gateways.ts"
import { pairs } from "../support/pairs.ts"

const tool = (name: string) => McpTool.make(name, {}, () => Effect.succeed(name))

const head: Handshake.Head = { method: "POST", url: "/mcp", header: () => undefined, address: undefined }

/** A client whose caller has these scopes. */
const clientWith = (
  server: McpServer.McpServer,
  scopes: ReadonlyArray<string>,
  options: Partial<McpClient.ClientOptions>
) =>
  McpClient.make((host) =>
    Effect.gen(function*() {
      const [near, far] = yield* MemoryTransport.makePair()
      const principal = Context.add(Context.make(Handshake.Name, "ada"), Scopes, new Set(scopes))
      yield* Effect.forkScoped(
        McpServer.serveWith({ limits: host.limits, progressGap: 0, caller: { principal: "ada" } }).pipe(
          Effect.provideService(Transport, far),
          Effect.provideService(McpServer.McpServer, server),
          Effect.provideService(Handshake.Current, { ...Handshake.anonymous(head), principal })
        ),
        { startImmediately: true }
      )
      return yield* McpClientTransport.fromTransport(near)(host)
    }), { name: "test", version: "1", limits: { drain: 0 }, cacheSize: 0, ...options })

describe("the scopes of a server and of its tools", () => {
  it.effect.each(pairs)("are needed, and decide what is listed: %j", ({ far, near }) =>
    Effect.gen(function*() {
      const files = yield* made("files", [
        tool("read"),
        tool("write_a"),
        tool("write_b"),
        McpResource.make("file:///a", { name: "a" }, () => Effect.succeed("A")),
        McpResource.template("file:///by/{name}", {
          name: "by",
          complete: { name: () => Effect.succeed(["a"]) }
        }, () => Effect.succeed("A")),
        McpPrompt.make("ask", {
          params: { name: Schema.String },
          complete: { name: () => Effect.succeed(["a"]) }
        }, () => Effect.succeed("A"))
      ])
      const open = yield* made("open", [tool("now")])
      const records: Array<Audit.AuditRecord> = []
      const gateway = yield* McpGateway.make({
        name: "gateway",
        version: "1",
        listOnlyPermitted: true,
        audit: { write: (record) => Effect.sync(() => void records.push(record)) },
        servers: {
          files: {
            connect: reach(files, far),
            scopes: ["files"],
            tools: { scopes: { "write_*": ["files:write"], write_b: ["admin"] } }
          },
          open: { connect: reach(open, far) }
        }
      })
      yield* settled
      const seen = Effect.fnUntraced(function*(...scopes: ReadonlyArray<string>) {
        const client = yield* clientWith(gateway, scopes, { protocolVersion: near })
        const refused = Effect.fnUntraced(function*(name: string) {
          const error = yield* Effect.flip(client.callTool(name))
          assert.propertyVal(error, "code", McpError.InsufficientScope)
          return Object(error).data.requiredScopes
        })
        return { client, refused, tools: names(yield* client.listTools()) }
      })
      const nobody = yield* seen()
      assert.deepStrictEqual(nobody.tools, ["open_now"])
      assert.deepStrictEqual(yield* nobody.refused("files_read"), ["files"])
      assert.propertyVal(
        yield* Effect.flip(nobody.client.readResource("file:///a")),
        "code",
        McpError.InsufficientScope
      )
      for (
        const ref of [{ _tag: "Prompt", name: "files_ask" }, { _tag: "Template", uri: "file:///by/{name}" }] as const
      ) {
        const error = yield* Effect.flip(nobody.client.complete(ref, { name: "name", value: "" }))
        assert.propertyVal(error, "code", McpError.InsufficientScope)
      }
      const reader = yield* seen("files")
      assert.deepStrictEqual(reader.tools, ["files_read", "open_now"])
      yield* reader.client.callTool("files_read")
      yield* reader.client.readResource("file:///a")
      assert.deepStrictEqual(yield* reader.refused("files_write_b"), ["files", "files:write", "admin"])
      const writer = yield* seen("files", "files:write")
      assert.deepStrictEqual(writer.tools, ["files_read", "files_write_a", "open_now"])
      assert.deepStrictEqual(
        records.map(({ client, name, outcome, principal, server }) => [server, name, outcome, principal, client]),
        [
          ["files", "read", "refused", "ada", "test"],
          [undefined, "file:///a", "refused", "ada", "test"],
          ["files", "ask", "refused", "ada", "test"],
          [undefined, "file:///by/{name}", "refused", "ada", "test"],
          ["files", "read", "ok", "ada", "test"],
          ["files", "file:///a", "ok", "ada", "test"],
          ["files", "write_b", "refused", "ada", "test"]
        ]
      )
    }))
})
