import { assert, describe, it } from "@effect/vitest"
import * as McpPrompt from "@parley/mcp/McpPrompt"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import * as McpToolkit from "@parley/mcp/McpToolkit"
import * as McpDialect from "@parley/mcp/wire/McpDialect"
import * as McpError from "@parley/mcp/wire/McpError"
import { Scopes } from "@parley/oauth/AccessToken"
import * as Peer from "@parley/peer/Peer"
import * as Handshake from "@parley/transport/Handshake"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import { Context, Effect, Schema, type Scope } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { protect } from "../../../../oauth/test/support/protected.ts"
import * as web from "../../http-server/support/web.ts"
import { open as openLine } from "../../server/support/line.ts"
import { features } from "./support/protected.ts"

interface Asking {
  readonly name: string
  /** A client that asks in one era, with these headers. */
  readonly begin: (
    client: web.Client,
    headers: web.Headers
  ) => Effect.Effect<(method: string, params?: web.Json) => Effect.Effect<web.Answer>, never, Scope.Scope>
}

const eras: ReadonlyArray<Asking> = [
  {
    name: "the modern era",
    begin: (client, headers) => Effect.succeed((method, params) => web.modern(client, method, params, headers))
  },
  {
    name: "the legacy era",
    begin: (client, headers) =>
      Effect.map(
        web.visit(client, "2025-11-25", {}, headers),
        ({ post }) => (method, params = {}) => post(web.request(method, params))
      )
  },
  {
    name: "the legacy era, of a client that takes events alone",
    begin: (client, headers) =>
      Effect.map(
        web.visit(client, "2025-11-25", {}, headers),
        ({ post }) => (method, params = {}) => post(web.request(method, params), { accept: "text/event-stream" })
      )
  },
  {
    name: "the legacy era without sessions",
    begin: (client, headers) =>
      Effect.succeed((method, params = {}) =>
        client.post(web.request(method, params), { ...headers, "mcp-protocol-version": "2025-11-25" })
      )
  }
]

/** A client of a protected server, by default one with all features, and headers with tokens for it. */
const guarded = Effect.fnUntraced(function*(own?: McpServer.McpServer) {
  const { auth, headersWith } = yield* protect()
  const server = own ?? (yield* features()).server
  const client = yield* web.open({ auth }, server)
  /** The statuses of a request with tokens of these scopes. */
  const statuses = (method: string, params: web.Json, scopes: ReadonlyArray<string>) =>
    Effect.forEach(scopes, (scope) =>
      Effect.map(
        Effect.flatMap(headersWith({ scope }), (headers) => web.modern(client, method, params, headers)),
        ({ status }) => status
      ))
  return { client, headersWith, statuses }
})

const scopesIn = (answer: web.Answer) => /scope="([^"]*)"/.exec(answer.header("www-authenticate") ?? "")?.[1]

for (const { begin, name } of eras) {
  describe(`scopes in ${name}`, () => {
    const setup = Effect.fnUntraced(function*(scope: string, more: Parameters<typeof features>[0] = {}) {
      const { auth, headersWith } = yield* protect({ scopes: ["files:read", "files:write", "payments"] })
      const { runs, server } = yield* features(more)
      const sessions = name.endsWith("without sessions") ? { sessions: false as const } : {}
      const client = yield* web.open({ auth, ...sessions }, server)
      return { runs, ask: yield* begin(client, yield* headersWith({ scope })) }
    })

    it.effect("let those call who have them", () =>
      Effect.gen(function*() {
        const { ask, runs } = yield* setup("files:read files:write")
        const calls = [
          ["tools/call", { name: "open", arguments: {} }],
          ["tools/call", { name: "write", arguments: {} }],
          ["resources/read", { uri: "file:///secret" }],
          ["resources/read", { uri: "file:///of/ada" }],
          ["prompts/get", { name: "plan" }]
        ] as const
        for (const [method, params] of calls) assert.strictEqual((yield* ask(method, params)).status, 200, method)
        assert.strictEqual(runs(), calls.length)
      }))

    it.effect("are asked for before a handler runs, with what the client has", () =>
      Effect.gen(function*() {
        const { ask, runs } = yield* setup("files:read openid")
        for (
          const [method, params, needed] of [
            ["tools/call", { name: "write", arguments: {} }, ["files:write"]],
            ["resources/read", { uri: "file:///secret" }, ["files:read", "files:write"]]
          ] as const
        ) {
          const answer = yield* ask(method, params)
          assert.strictEqual(answer.status, 403)
          assert.strictEqual(
            answer.header("www-authenticate"),
            `Bearer resource_metadata="https://mcp.example.org/.well-known/oauth-protected-resource/mcp", ` +
              `scope="files:read files:write", error="insufficient_scope"`
          )
          const { error } = yield* answer.json
          assert.deepStrictEqual([error?.code, error?.data], [McpError.InsufficientScope, { requiredScopes: needed }])
        }
        assert.strictEqual(runs(), 0)
      }))

    it.effect("may depend on the arguments", () =>
      Effect.gen(function*() {
        const { ask } = yield* setup("files:read")
        assert.strictEqual((yield* ask("tools/call", { name: "dear", arguments: { euros: 10 } })).status, 200)
        const answer = yield* ask("tools/call", { name: "dear", arguments: { euros: 11 } })
        assert.deepStrictEqual([answer.status, scopesIn(answer)], [403, "files:read payments"])
      }))

    it.effect("hide nothing from lists, unless these are to have what is permitted only", () =>
      Effect.gen(function*() {
        for (const listOnlyPermitted of [false, true]) {
          const { ask } = yield* setup("files:read", { listOnlyPermitted })
          const names = Effect.fnUntraced(function*(method: string, list: string, key: string) {
            const answer = yield* ask(method)
            const said = answer.header("content-type") === "text/event-stream"
              ? yield* answer.read.message
              : yield* answer.json
            return ((said.result?.[list] ?? []) as ReadonlyArray<web.Json>).map((one) => one[key])
          })
          const isAll = !listOnlyPermitted
          assert.deepStrictEqual(
            [
              yield* names("tools/list", "tools", "name"),
              yield* names("resources/list", "resources", "uri"),
              yield* names("resources/templates/list", "resourceTemplates", "name"),
              yield* names("prompts/list", "prompts", "name")
            ],
            [
              ["open", ...(isAll ? ["write"] : []), "dear", "whoami"],
              isAll ? ["file:///secret"] : [],
              ["own"],
              ["plan"]
            ]
          )
          // A client that knows the name of a feature which is not listed still learns what it needs.
          assert.strictEqual((yield* ask("tools/call", { name: "write", arguments: {} })).status, 403)
        }
      }))

    it.effect("say nothing of what is not visible", () =>
      Effect.gen(function*() {
        const { ask } = yield* setup("", { visible: ({ info }) => info.name !== "write" })
        const answer = yield* ask("tools/call", { name: "write", arguments: {} })
        assert.strictEqual(answer.status, 200)
        assert.include(yield* answer.text, "Unknown tool: write")
      }))
  })
}

describe("scopes", () => {
  it.effect("are needed to hear of changes", () =>
    Effect.gen(function*() {
      const { client, headersWith } = yield* guarded()
      const headers = yield* headersWith({ scope: "files:read" })
      const visitor = yield* web.visit(client, "2025-11-25", {}, headers)
      assert.strictEqual(
        (yield* visitor.post(web.request("resources/subscribe", { uri: "file:///secret" }))).status,
        403
      )
      assert.strictEqual((yield* visitor.post(web.request("resources/subscribe", { uri: "file:///of/a" }))).status, 200)
      const listening = yield* web.modern(
        client,
        "subscriptions/listen",
        { notifications: { resourceSubscriptions: ["file:///secret", "file:///of/a"] } },
        headers
      )
      const { params } = yield* listening.read.message
      assert.deepInclude(params, { notifications: { resourceSubscriptions: ["file:///of/a"] } })
      listening.abort()
    }))

  it.effect("come from an `authorize` of one's own, too, and are nobody's without one", () =>
    Effect.gen(function*() {
      const { server } = yield* features()
      const authorize: Handshake.Authorize = ({ header }) =>
        Effect.succeed(Context.make(Scopes, new Set([header("x-scope") ?? ""])))
      const call = { name: "write", arguments: {} }
      const own = yield* web.open({ authorize }, server)
      assert.strictEqual((yield* web.modern(own, "tools/call", call, { "x-scope": "files:write" })).status, 200)
      const refused = yield* web.modern(own, "tools/call", call, { "x-scope": "files:read" })
      assert.strictEqual(
        refused.header("www-authenticate"),
        `Bearer scope="files:read files:write", error="insufficient_scope"`
      )
      const nobody = yield* web.open({}, server)
      assert.strictEqual((yield* web.modern(nobody, "tools/call", call)).status, 403)
    }))

  it.effect("are all there for who has started the server, unless `caller` says which", () =>
    Effect.gen(function*() {
      const { server } = yield* features()
      const call = { name: "write", arguments: {}, _meta: web.meta }
      for (const caller of [undefined, { principal: "ada" }, { scopes: new Set(["files:write"]) }]) {
        const line = yield* openLine(server, { revision: "2026-07-28", caller })
        yield* line.result("tools/call", call)
        yield* line.close
      }
      const line = yield* openLine(server, { revision: "2026-07-28", caller: { scopes: new Set<string>() } })
      assert.strictEqual((yield* line.refusal("tools/call", call)).code, McpError.InsufficientScope)
      yield* line.close
    }))

  it.effect("are nobody's at a listener, unless `caller` says that they are", () =>
    Effect.gen(function*() {
      const { server } = yield* features()
      const outcomes = yield* Effect.forEach([undefined, { scopes: "all" as const }], (caller) =>
        Effect.gen(function*() {
          const { connect } = yield* MemoryTransport.Connector
          yield* Effect.forkScoped(McpServer.listenWith({ caller }))
          const peer = yield* Peer.make(yield* connect, {
            dialect: McpDialect.make(() => undefined),
            limits: { drain: 0 }
          })
          const called = peer.request("tools/call", { name: "write", arguments: {}, _meta: web.meta })
          return yield* Effect.match(called, {
            onFailure: (error) => error._tag === "RemoteError" ? error.code : error._tag,
            onSuccess: () => "served"
          })
        }).pipe(
          Effect.provide(MemoryTransport.layerListener()),
          Effect.provideService(McpServer.McpServer, server),
          Effect.scoped
        ))
      assert.deepStrictEqual(outcomes, [McpError.InsufficientScope, "served"])
    }))

  it.effect("are those of the handshake of a connection, unless `caller` says which", () =>
    Effect.gen(function*() {
      const { server } = yield* features()
      const head: Handshake.Head = { method: "GET", url: "/", address: undefined, header: () => undefined }
      const principal = Context.make(Scopes, new Set(["files:write"]))
      const call = { name: "write", arguments: {}, _meta: web.meta }
      const table = [
        [Handshake.anonymous(head), undefined, false],
        [Handshake.anonymous(head), { principal: "ada" }, false],
        [Handshake.anonymous(head), { scopes: new Set(["files:write"]) }, true],
        [{ head, principal }, undefined, true],
        [{ head, principal }, { scopes: new Set<string>() }, false]
      ] as const
      for (const [current, caller, isServed] of table) {
        const line = yield* Effect.provideService(
          openLine(server, { revision: "2026-07-28", caller }),
          Handshake.Current,
          current
        )
        const { error } = yield* line.ask("tools/call", call)
        assert.strictEqual(error === undefined, isServed)
        yield* line.close
      }
    }))

  it.effect("stand among the annotations of a toolkit's tools", () =>
    Effect.gen(function*() {
      const tool = Tool.make("write", { success: Schema.String }).annotate(McpToolkit.RequiredScopes, ["files:write"])
      const toolkit = Toolkit.make(tool)
      const server = yield* McpServer.make({ name: "s", version: "1", features: McpToolkit.tools(toolkit) }).pipe(
        Effect.provide(toolkit.toLayer({ write: () => Effect.succeed("written") }))
      )
      const { statuses } = yield* guarded(server)
      const call = { name: "write", arguments: {} }
      assert.deepStrictEqual(yield* statuses("tools/call", call, ["files:read", "files:write"]), [403, 200])
    }))

  it.effect("are needed to complete arguments", () =>
    Effect.gen(function*() {
      const server = yield* McpServer.make({
        name: "s",
        version: "1",
        features: [
          McpPrompt.make("plan", {
            scopes: ["files:read"],
            params: { day: Schema.String },
            complete: { day: () => Effect.succeed(["Monday"]) }
          }, () => Effect.succeed("Plan."))
        ]
      })
      const { statuses } = yield* guarded(server)
      const params = { ref: { type: "ref/prompt", name: "plan" }, argument: { name: "day", value: "" } }
      assert.deepStrictEqual(yield* statuses("completion/complete", params, ["", "files:read"]), [403, 200])
    }))

  it.effect("that one call of a batch lacks keep none of the others", () =>
    Effect.gen(function*() {
      const { client, headersWith } = yield* guarded()
      const visitor = yield* web.visit(client, "2025-03-26", {}, yield* headersWith({ scope: "files:read" }))
      const answer = yield* visitor.post([web.call("open", {}, {}), web.call("write", {}, {})])
      assert.strictEqual(answer.status, 200)
      const text = yield* answer.text
      assert.include(text, `"text":"open"`)
      assert.include(text, `"code":${McpError.InsufficientScope}`)
      assert.isNull(answer.header("www-authenticate"))
    }))

  it("are words that a token can have", () => {
    for (const scope of ["", "a b", `a"`, "a\\", "ä", "a\n"]) {
      assert.throws(() => McpTool.make("tool", { scopes: [scope] }, () => Effect.succeed("")), /a scope is one word/)
    }
  })
})

describe("a protected endpoint", () => {
  it.effect("tells a handler who calls, and keeps the token from it", () =>
    Effect.gen(function*() {
      const { client, headersWith } = yield* guarded()
      const headers = yield* headersWith()
      const call = { name: "whoami", arguments: {} }
      const expected = JSON.stringify(["https://as.example.org ada", "cli", null])
      assert.strictEqual(web.textOf(yield* (yield* web.modern(client, "tools/call", call, headers)).json), expected)
      const visitor = yield* web.visit(client, "2025-06-18", {}, headers)
      assert.strictEqual(web.textOf(yield* (yield* visitor.post(web.call("whoami"))).json), expected)
    }))

  it.effect("keeps a session for the subject that began it", () =>
    Effect.gen(function*() {
      const { client, headersWith } = yield* guarded()
      const visitor = yield* web.visit(client, "2025-11-25", {}, yield* headersWith())
      const again = yield* visitor.post(web.call("open"), yield* headersWith({ iat: 1 }))
      assert.strictEqual(again.status, 200)
      const other = yield* visitor.post(web.call("open"), yield* headersWith({ sub: "eve" }))
      assert.strictEqual(other.status, 404)
      assert.strictEqual((yield* visitor.post(web.call("open"), { authorization: undefined })).status, 401)
    }))

  it.effect("does not have an `authorize` beside `auth`", () =>
    Effect.gen(function*() {
      const { auth } = yield* protect()
      const { server } = yield* features()
      const made = web.open({ auth, authorize: auth.authorize }, server)
      const defect = yield* Effect.catchDefect(Effect.as(made, undefined), (defect) => Effect.succeed(defect))
      assert.include(String(defect), "`auth` and `authorize` are both given")
    }))
})
