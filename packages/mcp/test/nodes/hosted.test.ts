/** Nodes whose hosts find the users: each gives the principal with the request, whatever node has the session. */
import { assert, describe, it } from "@effect/vitest"
import * as McpHttp from "@parley/mcp/McpHttp"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import * as MemoryNodes from "@parley/mesh/MemoryNodes"
import * as MeshNode from "@parley/mesh/MeshNode"
import * as Handshake from "@parley/transport/Handshake"
import { Context, Effect, Logger, Option, Schema } from "effect"

const UserSchema = Schema.Struct({ id: Schema.String })

class User extends Context.Service<User, typeof UserSchema.Type>()("hosted/User") {}

const principalOf = (id: string) => Context.make(User, { id }).pipe(Context.add(Handshake.Name, id))

/** Two nodes of one server. */
const nodes = Effect.fnUntraced(function*(authorize?: Handshake.Authorize) {
  const engine = yield* MemoryNodes.makeEngine
  const journal = yield* MemoryNodes.makeJournal()
  const node = Effect.gen(function*() {
    const mesh = yield* Effect.orDie(MeshNode.make(engine))
    const server = yield* McpServer.make({
      name: "hosted",
      version: "1.0.0",
      principals: [User],
      features: [
        McpTool.make("name", {}, (_, call) => Effect.succeed(`${call.principal}`)),
        McpTool.make("user", {}, (_, call) => Effect.sync(() => `${Option.getOrUndefined(call.auth.get(User))?.id}`))
      ]
    })
    return yield* McpHttp.makeWebHandler(server, { mesh, journal, authorize })
  })
  return [yield* node, yield* node] as const
})

const post = (
  { handle }: Effect.Success<ReturnType<typeof nodes>>[number],
  user: string,
  message: object,
  session?: string | null
) =>
  Effect.promise(async () => {
    const headers = new Headers({
      host: "localhost",
      "content-type": "application/json",
      accept: "application/json, text/event-stream"
    })
    if (session !== undefined && session !== null) headers.set("mcp-session-id", session)
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, ...message })
    const response = await handle(new Request("http://localhost/mcp", { method: "POST", headers, body }), {
      principal: principalOf(user)
    })
    return { status: response.status, session: response.headers.get("mcp-session-id"), text: await response.text() }
  })

const initialize = {
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "me", version: "1.0.0" } }
}

const call = (name: string) => ({ method: "tools/call", params: { name, arguments: {} } })

describe("a session of a user whom the host has found", () => {
  it.live("belongs to the user on all nodes", () =>
    Effect.gen(function*() {
      const [one, other] = yield* nodes()
      const { session } = yield* post(one, "ada", initialize)
      for (const node of [one, other]) {
        assert.include((yield* post(node, "ada", call("name"), session)).text, `"ada"`)
        assert.strictEqual((yield* post(node, "bob", call("name"), session)).status, 404)
      }
    }))

  it.live("has the services that `authorize` declares, which refuses all others", () =>
    Effect.gen(function*() {
      const authorize = Handshake.declare(
        () => Effect.fail(Handshake.unauthenticated()),
        Handshake.service(User, UserSchema)
      )
      const [one, other] = yield* nodes(authorize)
      const { session } = yield* post(one, "ada", initialize)
      for (const node of [one, other]) {
        assert.include((yield* post(node, "ada", call("user"), session)).text, `"ada"`)
      }
      assert.strictEqual((yield* Effect.promise(() => one(new Request("http://localhost/mcp")))).status, 401)
    }).pipe(Effect.provide(Logger.layer([]))))

  it.live("has no service that nobody declares, and a handler that reads one fails on all nodes", () =>
    Effect.gen(function*() {
      const [one, other] = yield* nodes()
      const { session } = yield* post(one, "ada", initialize)
      for (const node of [one, other]) {
        assert.include((yield* post(node, "ada", call("user"), session)).text, "error")
      }
    }).pipe(Effect.provide(Logger.layer([]))))
})
