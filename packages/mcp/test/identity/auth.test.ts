/** What handlers find of their callers by `call.auth`, and where a service that nobody has declared is refused. */
import { assert, describe, it } from "@effect/vitest"
import * as Notification from "@parley/contract/Notification"
import * as McpExtension from "@parley/mcp/extension/McpExtension"
import type { AuthInfo, CallerInfo, McpContext } from "@parley/mcp/McpContext"
import * as McpHttp from "@parley/mcp/McpHttp"
import * as McpMemoryClient from "@parley/mcp/McpMemoryClient"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import { ExpiresAt, Scopes } from "@parley/oauth/AccessToken"
import * as Handshake from "@parley/transport/Handshake"
import { Cause, Context, Effect, Exit, Option, Queue, Schema } from "effect"
import * as web from "../http-server/support/web.ts"
import { open } from "../server/support/line.ts"

class User extends Context.Service<User, { readonly id: string }>()("User") {}

const UserSchema = Schema.Struct({ id: Schema.String })

const principal = Context.make(User, { id: "ada" }).pipe(
  Context.add(Handshake.Name, "ada"),
  Context.add(Scopes, new Set(["read"])),
  Context.add(ExpiresAt, 60_000)
)

const handshake: Handshake.Handshake = {
  head: { method: "GET", url: "/", address: undefined, header: (name) => name === "x-tag" ? "7" : undefined },
  principal
}

const authorize = Handshake.declare(() => Effect.succeed(principal), Handshake.service(User, UserSchema))

const found = ({ expiresAt, get, principal, scopes }: AuthInfo) => ({
  principal,
  scopes: typeof scopes === "string" ? scopes : [...scopes],
  expiresAt,
  user: Option.getOrUndefined(get(User))
})

const ada = { principal: "ada", scopes: ["read"], expiresAt: 60_000, user: { id: "ada" } }

const nobody = { principal: undefined, scopes: "all", expiresAt: undefined, user: undefined }

/** Tools that write down who calls them, and a server of them. */
const watched = (options: Partial<McpServer.ServerOptions> = {}) => {
  const seen: Array<unknown> = []
  const look = (_: unknown, call: McpContext) =>
    Effect.sync(() => {
      seen.push({ ...found(call.auth), tag: call.header("x-tag") })
      return "seen"
    })
  const features = [McpTool.make("look", {}, look)]
  const server = McpServer.make({ name: "s", version: "1", features, principals: [User], ...options })
  return { seen, look, server }
}

const call = { name: "look", _meta: web.meta }

const refusal = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.exit(effect), (exit) => Exit.isFailure(exit) ? String(Cause.squash(exit.cause)) : "it is open")

describe("call.auth", () => {
  it.effect("has the name, the scopes, the end and the services of a handshake, and what its host says else", () =>
    Effect.gen(function*() {
      const { seen, server } = watched()
      const callers: ReadonlyArray<CallerInfo> = [
        {},
        { handshake },
        { handshake, principal: "bob", scopes: "all", header: () => "8" }
      ]
      for (const caller of callers) {
        const line = yield* open(yield* server, { revision: "2026-07-28", caller })
        yield* line.result("tools/call", call)
        yield* line.close
      }
      assert.deepStrictEqual(seen, [
        { ...nobody, tag: undefined },
        // A client that has started the server may do all that it offers.
        { ...ada, scopes: "all", tag: "7" },
        { ...ada, principal: "bob", scopes: "all", tag: "8" }
      ])
    }))

  it.effect("is that of the handshake of a WebSocket, for calls of both eras", () =>
    Effect.gen(function*() {
      const { seen, server } = watched()
      const line = yield* Effect.provideService(open(yield* server), Handshake.Current, handshake)
      yield* line.result("tools/call", call)
      yield* line.result("initialize", web.handshake("2025-11-25").params)
      yield* line.result("tools/call", { name: "look" })
      assert.deepStrictEqual(seen, [{ ...ada, tag: "7" }, { ...ada, tag: "7" }])
      yield* line.close
    }))

  it.effect("is that of the caller of the handler, call by call, in a server that the handler calls in memory", () =>
    Effect.gen(function*() {
      const { seen, server } = watched()
      const client = yield* Effect.provideService(
        McpMemoryClient.make({ name: "c", version: "1", limits: { drain: 0 } }),
        McpServer.McpServer,
        yield* server
      )
      const look = client.callTool("look")
      const eve = { ...handshake, principal: Context.add(principal, Handshake.Name, "eve") }
      yield* look
      yield* Effect.all([
        Effect.provideService(look, Handshake.Current, handshake),
        Effect.provideService(look, Handshake.Current, eve)
      ], { concurrency: "unbounded" })
      yield* look
      // The headers of its request are for the handler alone.
      const tag = undefined
      const expected = [{ ...nobody, tag }, { ...ada, tag }, { ...ada, principal: "eve", tag }, { ...nobody, tag }]
      assert.deepStrictEqual(seen, expected)
    }))

  it.effect("is that of the request which brings a notification of a session", () =>
    Effect.gen(function*() {
      const heard = yield* Queue.unbounded<unknown>()
      const Moves = McpExtension.make("com.example/moves", {
        server: { notifications: { "notifications/moves/moved": Notification.make() } }
      })
      const server = yield* McpServer.make({
        name: "s",
        version: "1",
        features: [],
        principals: [User],
        extensions: [Moves.serve({
          hearers: { "notifications/moves/moved": (_, { auth }) => Effect.asVoid(Queue.offer(heard, found(auth))) }
        })]
      })
      const client = yield* web.alone({ authorize }, server)
      const capabilities = { extensions: { "com.example/moves": {} } }
      const visitor = yield* web.visit(client, "2025-11-25", capabilities)
      yield* visitor.post({ jsonrpc: "2.0", method: "notifications/moves/moved" })
      assert.deepStrictEqual(yield* Queue.take(heard), ada)
    }))
})

describe("a service that handlers read of their callers", () => {
  it.effect("is a defect in every call where the server does not name it", () =>
    Effect.gen(function*() {
      const { server } = watched({ principals: [] })
      const line = yield* open(yield* server, { revision: "2026-07-28" })
      assert.strictEqual((yield* line.refusal("tools/call", call)).code, -32603)
      yield* line.close
    }))

  it.effect("keeps an endpoint from opening where `authorize` does not declare it", () =>
    Effect.gen(function*() {
      const { server } = watched()
      const bare = Handshake.authorize(User, () => Effect.succeed({ id: "ada" }), ({ id }) => id)
      const refused = yield* refusal(McpHttp.endpoint(yield* server, { authorize: bare }))
      assert.include(refused, "`authorize` declares no Schema of User")
      assert.strictEqual(yield* refusal(McpHttp.endpoint(yield* server, { authorize })), "it is open")
      assert.strictEqual(yield* refusal(McpHttp.endpoint(yield* server)), "it is open")
    }))

  it.effect("keeps an endpoint from opening where a mounted server reads it", () =>
    Effect.gen(function*() {
      const outer = yield* McpServer.make({ name: "outer", version: "1", features: [] })
      yield* outer.mount(yield* watched().server)
      const refused = yield* refusal(McpHttp.endpoint(outer, { authorize: web.byAuthorization }))
      assert.include(refused, "`authorize` declares no Schema of User")
    }))
})
