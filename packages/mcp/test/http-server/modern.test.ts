import { assert, describe, it } from "@effect/vitest"
import { RequestRules } from "@parley/http/shared"
import * as McpHttp from "@parley/mcp/McpHttp"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import * as Handshake from "@parley/transport/Handshake"
import { Context, Effect, Exit, Fiber, Logger, Option, Queue, References, Schema, Scope } from "effect"
import { TestClock } from "effect/testing"
import { sample } from "./support/sample.ts"
import * as web from "./support/web.ts"

const codeOf = (answer: web.Answer) => Effect.map(answer.json, ({ error, id }) => [answer.status, error?.code, id])

describe("a modern POST", () => {
  it.effect("is answered by itself, as one text", () =>
    Effect.gen(function*() {
      const client = yield* web.open()
      const answer = yield* web.modern(client, "tools/call", { name: "echo", arguments: { text: "hi" } })
      assert.deepStrictEqual([answer.status, answer.header("content-type")], [200, "application/json"])
      assert.strictEqual(answer.header("mcp-session-id"), null)
      assert.strictEqual(web.textOf(yield* answer.json), "hi")
    }))

  it.effect("needs no word of what is for sessions", () =>
    Effect.gen(function*() {
      const client = yield* web.open()
      const headers = { "mcp-session-id": "nobody", "last-event-id": "nothing" }
      const answer = yield* web.modern(client, "tools/call", { name: "echo", arguments: { text: "hi" } }, headers)
      assert.strictEqual(web.textOf(yield* answer.json), "hi")
    }))

  it.effect("whose headers say something else than its body is refused with -32020", () =>
    Effect.gen(function*() {
      const client = yield* web.open()
      const echo = { name: "echo", arguments: { text: "hi" } }
      const wrong: ReadonlyArray<web.Headers> = [
        { "mcp-method": "tools/list" },
        { "mcp-method": undefined },
        { "mcp-name": "wait" },
        { "mcp-name": undefined },
        { "mcp-name": "=?base64?w?=" },
        { "mcp-protocol-version": "2025-11-25" },
        { "mcp-protocol-version": undefined }
      ]
      for (const headers of wrong) {
        const answer = yield* web.modern(client, "tools/call", echo, headers)
        const { error } = yield* answer.json
        assert.deepStrictEqual([answer.status, error?.code], [400, -32020], JSON.stringify(headers))
      }
      const encoded = yield* web.modern(client, "tools/call", echo, { "mcp-name": "=?base64?ZWNobw==?=" })
      assert.strictEqual(encoded.status, 200)
    }))

  it.effect("repeats the arguments that a tool marks in headers", () =>
    Effect.gen(function*() {
      const client = yield* web.open()
      const region = (value: string, headers: web.Headers) =>
        web.modern(client, "tools/call", { name: "region", arguments: { region: value } }, headers)
      assert.strictEqual((yield* region("eu", { "mcp-param-region": "eu" })).status, 200)
      assert.deepStrictEqual((yield* codeOf(yield* region("eu", {}))).slice(0, 2), [400, -32020])
      assert.deepStrictEqual((yield* codeOf(yield* region("eu", { "mcp-param-region": "us" }))).slice(0, 2), [
        400,
        -32020
      ])
    }))

  it.effect("has a status that says the same as its error", () =>
    Effect.gen(function*() {
      const client = yield* web.open()
      const unknown = yield* web.modern(client, "no/such")
      assert.deepStrictEqual((yield* codeOf(unknown)).slice(0, 2), [404, -32601])
      const gone = yield* web.modern(client, "ping")
      assert.deepStrictEqual((yield* codeOf(gone)).slice(0, 2), [404, -32601])
      const keys = yield* web.modern(client, "tools/list", {
        _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" }
      })
      assert.deepStrictEqual((yield* codeOf(keys)).slice(0, 2), [400, -32602])
      const future = yield* web.modern(client, "tools/list", {
        _meta: { ...web.meta, "io.modelcontextprotocol/protocolVersion": "2027-01-01" }
      }, { "mcp-protocol-version": "2027-01-01" })
      const { error } = yield* future.json
      assert.deepStrictEqual([future.status, error?.code], [400, -32022])
      assert.deepStrictEqual(error?.data, { requested: "2027-01-01", supported: ["2026-07-28"] })
      const invalid = yield* web.modern(client, "tools/call", { name: "no such" })
      assert.deepStrictEqual((yield* codeOf(invalid)).slice(0, 2), [200, -32602])
      const unable = yield* web.modern(client, "tools/call", { name: "name" })
      assert.deepStrictEqual((yield* codeOf(unable)).slice(0, 2), [400, -32021])
    }))

  it.effect("has that status, too, where its id is as long as an answer can repeat, and longer", () =>
    Effect.gen(function*() {
      const client = yield* web.open()
      for (const [length, ...expected] of [[8_000_000, 404, -32601], [16_000_000, 400, -32600]] as const) {
        const answer = yield* client.post(
          { jsonrpc: "2.0", id: "x".repeat(length), method: "nothing", params: { _meta: web.meta } },
          { "mcp-protocol-version": "2026-07-28", "mcp-method": "nothing" }
        )
        assert.deepStrictEqual([answer.status, (yield* answer.json).error?.code], expected)
      }
    }))

  it.effect("that cannot be read is answered 400, without an id that nobody sent", () =>
    Effect.gen(function*() {
      const client = yield* web.open()
      const headers = { "mcp-protocol-version": "2026-07-28" }
      const torn = yield* client.post("{", headers)
      const { error, ...rest } = yield* torn.json
      assert.deepStrictEqual([torn.status, rest], [400, { jsonrpc: "2.0" }])
      // The rule that it breaks would quote the text.
      assert.deepStrictEqual(error, { code: -32700, message: "Parse error" })
      const wrong = yield* client.post({ jsonrpc: "2.0", id: 7, method: 1 }, headers)
      assert.deepStrictEqual(yield* codeOf(wrong), [400, -32600, 7])
      const batch = yield* client.post([web.request("tools/list", { _meta: web.meta })], headers)
      assert.strictEqual(batch.status, 400)
    }))

  it.effect("without a request is taken", () =>
    Effect.gen(function*() {
      const client = yield* web.open()
      const answer = yield* client.post(
        { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1, _meta: web.meta } },
        { "mcp-protocol-version": "2026-07-28", "mcp-method": "notifications/cancelled" }
      )
      assert.deepStrictEqual([answer.status, yield* answer.text], [202, ""])
    }))

  it.effect("becomes a stream when something is to be sent first, and only where events are taken", () =>
    Effect.gen(function*() {
      const { server, waiting } = yield* sample
      const client = yield* web.open({}, server)
      const _meta = { ...web.meta, "io.modelcontextprotocol/logLevel": "info" }
      const params = { name: "wait", arguments: { name: "a" }, _meta }
      for (const accept of [web.both, "application/json"]) {
        const pending = yield* Effect.forkChild(web.modern(client, "tools/call", params, { accept }))
        const { finish, tell } = yield* Queue.take(waiting)
        tell("one")
        finish("two")
        const answer = yield* Fiber.join(pending)
        if (accept === "application/json") {
          assert.strictEqual(web.textOf(yield* answer.json), "two")
        } else {
          assert.deepStrictEqual([answer.header("content-type"), answer.header("x-accel-buffering")], [
            "text/event-stream",
            "no"
          ])
          assert.strictEqual((yield* answer.read.message).method, "notifications/message")
          const last = yield* answer.read.rest
          assert.deepStrictEqual(last.map(({ data, id }) => [id, web.textOf(JSON.parse(data ?? ""))]), [[
            undefined,
            "two"
          ]])
        }
      }
    }))

  it.effect("that takes long becomes a stream, which is kept alive", () =>
    Effect.gen(function*() {
      const { server, waiting } = yield* sample
      const client = yield* web.open({ keepAlive: "10 seconds" }, server)
      const pending = yield* Effect.forkChild(
        web.modern(client, "tools/call", { name: "wait", arguments: { name: "a" } })
      )
      const { finish } = yield* Queue.take(waiting)
      yield* TestClock.adjust("10 seconds")
      const { read } = yield* Fiber.join(pending)
      assert.strictEqual((yield* read.next)?.comment, "keep-alive")
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* read.next)?.comment, "keep-alive")
      finish("done")
      assert.strictEqual(web.textOf(yield* read.message), "done")
      assert.strictEqual(yield* read.next, undefined)
    }))

  it.effect("whose client goes away is cancelled", () =>
    Effect.gen(function*() {
      const { interrupted, server, waiting } = yield* sample
      const client = yield* web.open({ keepAlive: "10 seconds" }, server)
      const pending = yield* Effect.forkChild(
        web.modern(client, "tools/call", { name: "wait", arguments: { name: "a" } })
      )
      yield* Queue.take(waiting)
      yield* TestClock.adjust("10 seconds")
      const answer = yield* Fiber.join(pending)
      answer.abort()
      assert.strictEqual(yield* Queue.take(interrupted), "a")
    }))

  it.effect("takes the forms that its client accepts", () =>
    Effect.gen(function*() {
      const client = yield* web.open()
      const echo = (accept: string | undefined) =>
        web.modern(client, "tools/call", { name: "echo", arguments: { text: "hi" } }, { accept })
      for (
        const accept of [undefined, "*/*", "application/json", "application/*;q=0.5", "Application/JSON, text/html"]
      ) {
        const answer = yield* echo(accept)
        assert.deepStrictEqual([answer.status, answer.header("content-type")], [200, "application/json"], accept)
      }
      const events = yield* echo("text/event-stream")
      assert.strictEqual(events.header("content-type"), "text/event-stream")
      assert.strictEqual(web.textOf(yield* events.read.message), "hi")
      for (const accept of ["text/html", "application/json;q=0", ""]) {
        assert.strictEqual((yield* echo(accept)).status, 406, accept)
      }
    }))

  it.effect("is the only thing that modern clients send", () =>
    Effect.gen(function*() {
      const client = yield* web.open()
      for (const method of ["GET", "DELETE"]) {
        const answer = yield* client.send(method, { "mcp-protocol-version": "2026-07-28", accept: web.both })
        assert.deepStrictEqual([answer.status, answer.header("allow")], [405, "POST"])
      }
      const put = yield* client.send("PUT", { "content-type": "application/json" }, "{}")
      assert.deepStrictEqual([put.status, put.header("allow")], [405, "POST, GET, DELETE"])
    }))
})

describe("a client that listens", () => {
  it.effect("hears what it has named, and gets a result when the server ends", () =>
    Effect.gen(function*() {
      const { server } = yield* sample
      const scope = yield* Scope.make()
      const client = yield* Scope.provide(web.open({}, server), scope)
      const answer = yield* web.modern(client, "subscriptions/listen", { notifications: { toolsListChanged: true } })
      assert.strictEqual((yield* answer.read.message).method, "notifications/subscriptions/acknowledged")
      yield* server.listChanged("tools")
      assert.strictEqual((yield* answer.read.message).method, "notifications/tools/list_changed")
      yield* Scope.close(scope, Exit.void)
      assert.property(yield* answer.read.message, "result")
      assert.strictEqual(yield* answer.read.next, undefined)
    }))
})

describe("a client that listens and does not say that it takes events", () => {
  it.effect("gets them where it takes anything, and otherwise learns that there is nothing else", () =>
    Effect.gen(function*() {
      const client = yield* web.open()
      const listen = (accept: string) =>
        web.modern(client, "subscriptions/listen", { notifications: { toolsListChanged: true } }, { accept })
      assert.strictEqual((yield* listen("application/json")).status, 406)
      const answer = yield* listen("*/*")
      assert.strictEqual((yield* answer.read.message).method, "notifications/subscriptions/acknowledged")
    }))
})

describe("a server of one era", () => {
  it.effect("tells legacy clients which revisions it speaks", () =>
    Effect.gen(function*() {
      const server = yield* McpServer.make({ name: "s", version: "1", protocolVersions: ["2026-07-28"], features: [] })
      const client = yield* web.open({}, server)
      const answer = yield* client.post(web.handshake("2025-11-25"))
      const { error } = yield* answer.json
      assert.deepStrictEqual([answer.status, error?.code, error?.data], [400, -32022, {
        requested: "2025-11-25",
        supported: ["2026-07-28"]
      }])
      assert.strictEqual((yield* client.send("GET", { accept: "text/event-stream" })).status, 405)
    }))

  it.effect("takes no modern requests where it has no such revision", () =>
    Effect.gen(function*() {
      const server = yield* McpServer.make({ name: "s", version: "1", protocolVersions: ["2025-11-25"], features: [] })
      const client = yield* web.open({}, server)
      assert.strictEqual((yield* web.modern(client, "tools/list")).status, 400)
    }))
})

describe("who calls", () => {
  it.effect("is said by `authorize`, or refused by it", () =>
    Effect.gen(function*() {
      const client = yield* web.open({
        authorize: Handshake.declare((head) =>
          head.header("authorization") === undefined
            ? Effect.fail(Handshake.unauthenticated("Bearer"))
            : web.byAuthorization(head)
        ),
        forwarded: ["x-tag"]
      })
      const anonymous = yield* web.modern(client, "tools/call", { name: "whence" })
      assert.deepStrictEqual([anonymous.status, anonymous.header("www-authenticate")], [401, "Bearer"])
      const ann = { authorization: "ann", "x-tag": "1" }
      const answer = yield* web.modern(client, "tools/call", { name: "whence" }, ann)
      assert.strictEqual(web.textOf(yield* answer.json), "ann 1 1")
      const visitor = yield* web.visit(client, "2025-11-25", {}, ann)
      for (const accept of [web.both, "application/json"]) {
        const legacy = yield* visitor.post(web.call("whence"), { "x-tag": "2", accept })
        assert.strictEqual(web.textOf(yield* legacy.json), "ann 2 2")
      }
    }))

  it.effect("is a service of the server's own, which handlers and `visible` of both eras find", () =>
    Effect.gen(function*() {
      class User extends Context.Service<User, { readonly roles: ReadonlyArray<string> }>()("test/User") {}
      const roles = Effect.map(
        Effect.andThen(Effect.yieldNow, Handshake.principal(User)),
        (user) => Option.match(user, { onNone: () => "nobody", onSome: ({ roles }) => roles.join() })
      )
      const server = yield* McpServer.make({
        name: "s",
        version: "1",
        features: [McpTool.make("roles", {}, () => roles)],
        visible: () => Effect.map(roles, (roles) => roles !== "nobody")
      })
      const authorize = Handshake.authorize(
        User,
        ({ header }) => Effect.succeed({ roles: (header("authorization") ?? "none").split(" ") }),
        ({ roles }) => roles.join(),
        Schema.Struct({ roles: Schema.Array(Schema.String) })
      )
      const client = yield* web.open({ authorize }, server)
      const authorization = "reader writer"
      const answer = yield* web.modern(client, "tools/call", { name: "roles" }, { authorization })
      assert.strictEqual(web.textOf(yield* answer.json), "reader,writer")
      const visitor = yield* web.visit(client, "2025-11-25", {}, { authorization })
      assert.strictEqual(web.textOf(yield* (yield* visitor.post(web.call("roles"))).json), "reader,writer")
    }))

  it.effect("is not told by principals without a name, which the log says once", () =>
    Effect.gen(function*() {
      class User extends Context.Service<User, string>()("User") {}
      const lines: Array<string> = []
      const logger = Logger.make(({ message }) => {
        lines.push(String(message))
      })
      const { server } = yield* sample
      const head = { method: "POST", url: "/mcp", address: "192.0.2.1", header: () => undefined }
      const ask = (options: McpHttp.McpHttpOptions, principal: Context.Context<never>) =>
        Effect.gen(function*() {
          const { answer } = yield* McpHttp.endpoint(server, options)
          const handshake = { head, principal }
          const asked = Effect.provideService(answer(head, "{}", web.silent), Handshake.Current, handshake)
          yield* Effect.repeat(asked, { times: 2 })
        }).pipe(Effect.provideService(References.CurrentLoggers, new Set([logger])))
      const authorize = Handshake.authorize(User, () => Effect.succeed("ada"))
      yield* ask({ authorize, sessions: false }, Context.make(User, "ada"))
      yield* ask({ authorize }, Context.empty())
      yield* ask({ authorize }, Context.make(Handshake.Name, "ada"))
      assert.deepStrictEqual(lines, [])
      yield* ask({ authorize }, Context.make(User, "ada"))
      assert.deepStrictEqual(lines, [
        "`authorize`, or the host, gives principals without a `Handshake.Name`: a session of MCP belongs to whoever has its id"
      ])
    }))

  it.effect("may be a page of a listed origin, which sees what clients need", () =>
    Effect.gen(function*() {
      const origin = "https://app.example.com"
      const client = yield* web.open({ cors: { origins: [origin] } })
      const asked = {
        origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "mcp-session-id"
      }
      const preflight = yield* client.send("OPTIONS", asked)
      assert.deepStrictEqual(
        [preflight.status, preflight.header("access-control-allow-methods")],
        [204, "POST, GET, DELETE"]
      )
      assert.strictEqual(preflight.header("access-control-allow-headers"), "mcp-session-id")
      const list = yield* web.modern(client, "tools/list", {}, { origin })
      assert.strictEqual(list.header("access-control-allow-origin"), origin)
      assert.match(list.header("access-control-expose-headers") ?? "", /mcp-session-id/)
      const others = { origin: "https://evil.example.com" }
      assert.strictEqual((yield* web.modern(client, "tools/list", {}, others)).status, 403)
    }))

  it.effect("is this machine where nothing else is said", () =>
    Effect.gen(function*() {
      const client = yield* web.open()
      const list = (headers: web.Headers) => web.modern(client, "tools/list", {}, headers)
      assert.strictEqual((yield* list({ host: "evil.example.com" })).status, 403)
      assert.strictEqual((yield* list({ origin: "http://evil.example.com" })).status, 403)
      assert.strictEqual((yield* list({ origin: "http://localhost:5173" })).status, 200)
      const named = yield* web.open({ access: { hosts: ["mcp.example.com"], origins: ["https://app.example.com"] } })
      const listed = web.modern(named, "tools/list", {}, { host: "mcp.example.com", origin: "https://app.example.com" })
      assert.strictEqual((yield* listed).status, 200)
    }))

  it.effect("is so elsewhere, too, for the pages of other machines, also where a setting turns out to be empty", () =>
    Effect.gen(function*() {
      const { server } = yield* sample
      for (const access of [undefined, {}, { origins: undefined }]) {
        const { admit } = yield* McpHttp.endpoint(server, { access })
        const headers = new Map([["host", "mcp.example.com"], ["origin", "http://evil.example.com"]])
        const head = { method: "GET", url: "/mcp", header: (name: string) => headers.get(name), address: "192.0.2.1" }
        assert.deepInclude(admit(head), { status: 403 })
        headers.delete("origin")
        assert.notInstanceOf(admit(head), RequestRules.Refusal)
      }
    }))
})
