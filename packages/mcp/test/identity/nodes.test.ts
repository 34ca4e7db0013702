/** What handlers find of the sender of a request, on the node that it reaches and on the one that has the session. */
import { assert, describe, it } from "@effect/vitest"
import type { RequestRules } from "@parley/http/shared"
import * as McpHttp from "@parley/mcp/McpHttp"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import * as MemoryNodes from "@parley/mesh/MemoryNodes"
import * as MeshNode from "@parley/mesh/MeshNode"
import { AccessToken } from "@parley/oauth/AccessToken"
import * as ResourceServer from "@parley/oauth/ResourceServer"
import * as Handshake from "@parley/transport/Handshake"
import { Cause, Context, Effect, Exit, Option, Schema } from "effect"
import { Travel } from "../../src/internal/http/nodes/Travel.ts"
import { sample } from "../http-server/support/sample.ts"
import * as web from "../http-server/support/web.ts"
import { at, cluster, type Member, visited } from "../nodes/support/cluster.ts"

interface User {
  readonly id: string
  readonly tenant: { readonly name: string }
  readonly roles: ReadonlySet<string>
  readonly since: Date
}

class CurrentUser extends Context.Service<CurrentUser, User>()("CurrentUser") {}
class Secret extends Context.Service<Secret, string>()("Secret") {}

const UserSchema = Schema.Struct({
  id: Schema.String,
  tenant: Schema.Struct({ name: Schema.String }),
  roles: Schema.ReadonlySet(Schema.String),
  since: Schema.Date
})

const ada: User = { id: "ada", tenant: { name: "acme" }, roles: new Set(["admin"]), since: new Date(86_400_000) }

const token: AccessToken = {
  issuer: "https://as.example",
  subject: "ada",
  clientId: undefined,
  scopes: new Set(["read"]),
  audience: ["https://mcp.example/mcp"],
  expiresAt: 1_000_000,
  keyThumbprint: undefined,
  claims: { tenant: "acme", groups: ["a", "b"], more: { deep: null } }
}

const auth = ResourceServer.make({
  resource: "https://mcp.example/mcp",
  verifier: { issuers: [token.issuer], verify: () => Effect.succeed(token) },
  principal: () => Effect.succeed(Context.make(CurrentUser, ada)),
  services: [Handshake.service(CurrentUser, UserSchema)]
})

/** Adds tools to both nodes, with what their handlers have seen. */
const watched = (members: ReadonlyArray<Member>) =>
  Effect.gen(function*() {
    const seen: Array<unknown> = []
    const look = McpTool.make("look", {}, (_, call) =>
      Effect.gen(function*() {
        const current = yield* Handshake.Current
        seen.push({
          user: yield* Handshake.principal(CurrentUser),
          token: yield* Handshake.principal(AccessToken),
          services: [...(current?.principal.mapUnsafe.keys() ?? [])].toSorted(),
          headers: ["authorization", "cookie", "x-api-key", "x-team", "user-agent"].map((name) => call.header(name)),
          url: current?.head.url,
          principal: call.principal
        })
        return "seen"
      }))
    const secret = McpTool.make("secret", {}, () => Effect.as(Handshake.principal(Secret), "read"))
    for (const { server } of members) yield* server.add([look, secret])
    return seen
  })

const headers = {
  authorization: "Bearer s3cret",
  cookie: "session=s3cret",
  "x-api-key": "s3cret",
  "x-team": "blue",
  "user-agent": "test"
}

describe("the sender of a request", () => {
  it.effect("is the same to a handler on the node that it reaches and on the one that has the session", () =>
    Effect.gen(function*() {
      const { here, other, owner, there } = yield* visited({ auth, forwarded: ["X-Team"] }, {}, headers)
      const seen = yield* watched([owner, other])
      for (const visitor of [here, there]) {
        assert.strictEqual(web.textOf(yield* (yield* visitor.post(web.call("look"))).json), "seen")
      }
      const [first, second] = seen
      assert.deepStrictEqual(second, first)
      assert.deepInclude(first as object, {
        headers: [undefined, undefined, undefined, "blue", "test"],
        principal: "https://as.example ada"
      })
      const { token: found, user } = first as { readonly token: { value: AccessToken }; readonly user: { value: User } }
      assert.deepStrictEqual([found.value, user.value], [token, ada])
    }))

  it.effect("sees the same features on all nodes, where `visible` asks for its principal", () =>
    Effect.gen(function*() {
      const isAdmin = Effect.map(Handshake.principal(CurrentUser), Option.exists(({ roles }) => roles.has("admin")))
      const server = yield* McpServer.make({
        name: "shop",
        version: "1",
        features: [McpTool.make("shut_down", {}, () => Effect.succeed("good night"))],
        visible: () => isAdmin
      })
      const [one, two] = yield* web.nodes(server, { auth }, 2)
      const here = yield* web.visit(one!, "2025-11-25", {}, headers)
      for (const client of [one!, two!]) {
        const answer = yield* client.post(web.call("shut_down"), here.headers)
        assert.strictEqual(web.textOf(yield* answer.json), "good night")
      }
    }))

  it.effect("has no service on any node that `authorize` does not declare: to read one is a defect", () =>
    Effect.gen(function*() {
      const authorize = Handshake.declare(
        () =>
          Effect.succeed(
            Context.make(CurrentUser, ada).pipe(
              Context.add(Secret, "s3cret"),
              Context.add(Handshake.Name, "ada")
            )
          ),
        Handshake.service(CurrentUser, UserSchema)
      )
      const { here, other, owner, there } = yield* visited({ authorize })
      yield* watched([owner, other])
      for (const visitor of [here, there]) {
        const { error } = yield* (yield* visitor.post(web.call("secret"))).json
        assert.deepInclude(error as object, { code: -32603 })
      }
    }))

  it.effect("never has credentials between nodes, and nothing else that is not allowed", () =>
    Effect.gen(function*() {
      const texts: Array<string> = []
      const { nodes: [owner, other] } = yield* cluster({ authorize: web.byAuthorization }, (engine) => ({
        ...engine,
        publish: (node, to, text) =>
          Effect.tap(engine.publish(node, to, text), () => Effect.sync(() => texts.push(text)))
      }))
      const here = yield* web.visit(owner.client, "2025-11-25", {}, { authorization: "ada" })
      const there = at(here, other)
      const more = { cookie: "a=s3cret", "x-api-key": "s3cret", "proxy-authorization": "s3cret", "x-any": "s3cret" }
      assert.strictEqual((yield* there.post(web.call("echo", { text: "hello" }), more)).status, 200)
      assert.isAbove(texts.length, 0)
      assert.include(texts.join(), "hello")
      assert.notInclude(texts.join(), "s3cret")
    }))

  it.each(["access_token", "%61ccess_token", "authToken", "user[token]", "jwt", "sig", "tenant", ""])(
    "never has the parameter %s of the target, which may hold credentials",
    (name) => {
      const travel = new Travel({ authorize: undefined, headers: [] })
      const url = `/mcp/a?b=1&${name}=s3cret?&c=%2`
      const head: RequestRules.Head = { method: "POST", url, address: undefined, header: () => undefined }
      assert.strictEqual(travel.head(head).url, "/mcp/a")
    }
  )

  it("has the headers of the protocol, but for those of credentials", () => {
    const travel = new Travel({ authorize: undefined, headers: [] })
    const headers: Readonly<Record<string, string>> = {
      "mcp-session-id": "1",
      "mcp-authorization": "s3cret",
      "mcp-param-cookie": "s3cret",
      "mcp-auth-token": "s3cret",
      "mcp-authtoken": "s3cret"
    }
    const head: RequestRules.Head = {
      method: "POST",
      url: "/",
      address: undefined,
      header: (name) => headers[name],
      names: () => Object.keys(headers)
    }
    assert.deepStrictEqual(travel.headersOf(head), { "mcp-session-id": "1" })
  })

  for (
    const [title, options, words] of [
      [
        "whose `authorize` declares no Schema",
        { authorize: () => Effect.succeed(Context.empty()) },
        "declares no Schema"
      ],
      [
        "whose `ResourceServer` gives services without a Schema",
        {
          auth: ResourceServer.make({
            resource: "https://mcp.example/mcp",
            verifier: { issuers: [token.issuer], verify: () => Effect.succeed(token) },
            principal: () => Effect.succeed(Context.empty())
          })
        },
        "declares no Schema"
      ],
      ["that would send a header with credentials to others", { forwarded: ["Authorization"] }, "Authorization"],
      ["that would send a key to others", { forwarded: ["x-goog-api-key"] }, "x-goog-api-key"]
    ] as const satisfies ReadonlyArray<readonly [string, McpHttp.McpHttpOptions, string]>
  ) {
    it.effect(`is not served by a node ${title}`, () =>
      Effect.gen(function*() {
        const { server } = yield* sample
        const mesh = yield* Effect.orDie(MeshNode.make(yield* MemoryNodes.makeEngine))
        const exit = yield* Effect.exit(McpHttp.endpoint(server, { ...options, mesh }))
        assert.isTrue(Exit.hasDies(exit))
        assert.include(Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "", words)
      }))
  }

  it.effect("of a modern request is served here, whatever session its headers name", () =>
    Effect.gen(function*() {
      let looks = 0
      const { nodes: [owner, other] } = yield* cluster({}, (engine) => ({
        ...engine,
        owner: (key) => Effect.tap(engine.owner(key), () => Effect.sync(() => looks++))
      }))
      const { id } = yield* web.visit(owner.client)
      const stale = { "mcp-session-id": id }
      const call = { name: "echo", arguments: { text: "a" } }
      const answer = yield* web.modern(other.client, "tools/call", call, stale)
      assert.strictEqual(web.textOf(yield* answer.json), "a")
      // Its body says that it is modern, its headers do not.
      const { status } = yield* other.client.post(web.request("tools/call", { ...call, _meta: web.meta }), stale)
      assert.strictEqual(status, 400)
      assert.strictEqual(looks, 0)
    }))
})
