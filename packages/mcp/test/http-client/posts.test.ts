import { assert, describe, it } from "@effect/vitest"
import type { HttpFetcher } from "@parley/http/shared/client"
import type { ToolInfo } from "@parley/mcp/payload/Listing"
import * as NodeHttp from "@parley/node/NodeHttp"
import { Exchange } from "@parley/peer/shared"
import { Budget } from "@parley/transport/shared"
import { Effect, Fiber } from "effect"
import { json, legacy, result, serve, signal, stream, text } from "./support/scripted.ts"
import * as transports from "./support/transports.ts"

describe("POSTs of the legacy era", () => {
  it.live("say what they hold and accept, and after initialize the session and the revision", () =>
    Effect.gen(function*() {
      const server = yield* serve(legacy())
      const transport = yield* transports.shaken(server.url)
      yield* transport.request("tools/list")
      const headersOf = (method: string) =>
        server.seen.find(({ message }) => message.method === method)?.headers ?? assert.fail(`no ${method}`)
      const initialize = headersOf("initialize")
      assert.strictEqual(initialize["content-type"], "application/json")
      assert.strictEqual(initialize["accept"], "application/json, text/event-stream")
      assert.isUndefined(initialize["mcp-session-id"])
      assert.isUndefined(initialize["mcp-protocol-version"])
      for (const later of [headersOf("notifications/initialized"), headersOf("tools/list")]) {
        assert.strictEqual(later["mcp-session-id"], "s1")
        assert.strictEqual(later["mcp-protocol-version"], "2025-11-25")
        assert.isUndefined(later["mcp-method"])
      }
    }))

  it.live("name no revision where it has no header for it, and no session where the server gave none", () =>
    Effect.gen(function*() {
      const server = yield* serve(legacy({}, ""))
      const transport = yield* transports.open(server.url)
      yield* transports.shakeHands(transport, "2025-03-26")
      yield* transport.request("ping")
      const { headers } = yield* server.until(({ message }) => message.method === "ping")
      assert.isUndefined(headers["mcp-session-id"])
      assert.isUndefined(headers["mcp-protocol-version"])
    }))

  it.live("that are interrupted end with their connection, and the server is told", () =>
    Effect.gen(function*() {
      const closed = signal<void>()
      const server = yield* serve(legacy({ slow: ({ response }) => response.on("close", () => closed.set()) }))
      const transport = yield* transports.shaken(server.url)
      const call = yield* Effect.forkChild(transport.request("slow"))
      const slow = yield* server.until(({ message }) => message.method === "slow")
      yield* Fiber.interrupt(call)
      yield* closed.wait
      const { headers, message } = yield* server.until(({ message }) => message.method === "notifications/cancelled")
      assert.deepStrictEqual(message.params, { requestId: slow.message.id ?? -1 })
      assert.strictEqual(headers["mcp-session-id"], "s1")
    }))

  it.live("that time out end alone, and the server is told", () =>
    Effect.gen(function*() {
      const closed = signal<void>()
      const server = yield* serve(legacy({ slow: ({ response }) => response.on("close", () => closed.set()) }))
      const transport = yield* transports.shaken(server.url)
      const other = yield* Effect.forkChild(transport.request("slow", {}, { timeout: "1 minute" }))
      const { message } = yield* server.until(({ message }) => message.method === "slow")
      const ended = yield* transports.outcome(transport.request("slow", {}, { timeout: 20 }))
      assert.match(ended, /^RequestTimeout/)
      yield* closed.wait
      const cancelled = yield* server.until(({ message }) => message.method === "notifications/cancelled")
      assert.notStrictEqual(cancelled.message.params?.["requestId"], message.id)
      assert.deepStrictEqual(yield* transport.request("ping"), {})
      assert.isUndefined(other.pollUnsafe())
      yield* Fiber.interrupt(other)
    }))

  /** Makes more calls than there are connections, and the server asks something within each. */
  const asking = (options: transports.Options) =>
    Effect.gen(function*() {
      const asked = new Map<unknown, () => void>()
      const server = yield* serve((answering) => {
        const { message } = answering.seen
        if (message["result"] !== undefined) asked.get(message.id)?.()
        script(answering)
      })
      const script = legacy({
        work: ({ response, seen: { message } }) => {
          const send = stream(response)
          asked.set(message.id, () => {
            send({ data: result(message.id, "done") })
            response.end()
          })
          send({ data: { jsonrpc: "2.0", id: message.id, method: "roots/list" } })
        }
      })
      const transport = yield* transports.shaken(server.url, {
        ...options,
        handlers: { "roots/list": () => Effect.succeed({ roots: [] }) }
      })
      const calls = Array.from({ length: 80 }, () => transport.request("work"))
      const results = yield* Effect.all(calls, { concurrency: "unbounded" })
      assert.deepStrictEqual(results, calls.map(() => "done"))
    })

  it.live("leave connections for what the server asks within them", () => {
    // A fetcher of others does not know which requests are answers.
    const fetcher = Effect.map(NodeHttp.makeFetcher(), ({ fetch }): HttpFetcher.HttpFetcher => ({
      fetch: (request) => Effect.provideService(fetch(request), Exchange.Share, "call")
    }))
    return asking({ fetcher })
  })

  it.live("need not leave connections where the answers to what the server asks have others", () =>
    asking({ concurrency: 80 }))

  it.effect("take of the budget of their fetcher while an answer is read, and give it back", () =>
    Effect.gen(function*() {
      const MiB = 1024 * 1024
      const budget = Budget.make(8 * MiB)
      const held: Array<number> = []
      const fetcher: HttpFetcher.HttpFetcher = {
        fetch: ({ body = "" }) =>
          Effect.succeed({
            status: 200,
            header: (name) => name === "content-type" ? "application/json" : undefined,
            budget,
            read: (take) =>
              Effect.forEach(
                [JSON.stringify(result(JSON.parse(body).id)), " ".repeat(MiB)],
                (piece) =>
                  Effect.andThen(
                    take(new TextEncoder().encode(piece)) ?? Effect.void,
                    Effect.sync(() => held.push(budget.taken()))
                  ),
                { discard: true }
              )
          })
      }
      const transport = yield* transports.open("http://localhost/", { fetcher: Effect.succeed(fetcher) })
      assert.deepStrictEqual(yield* transport.request("ping"), {})
      assert.deepStrictEqual([...held, budget.taken()], [0, 4 * MiB, 0])
    }))

  it.live("close the Scope of an answer that was read whole", () =>
    Effect.gen(function*() {
      const open = new Set<string | undefined>()
      const fetcher = Effect.map(NodeHttp.makeFetcher(), ({ fetch }): HttpFetcher.HttpFetcher => ({
        fetch: (request) => {
          const { body } = request
          const opened = Effect.acquireRelease(
            Effect.sync(() => open.add(body)),
            () => Effect.sync(() => open.delete(body))
          )
          return request.method === "POST" ? Effect.andThen(opened, fetch(request)) : fetch(request)
        }
      }))
      const server = yield* serve(legacy())
      const transport = yield* transports.shaken(server.url, { fetcher })
      // A notification ends with its exchange; a call ends before.
      yield* transport.notify("notifications/roots/list_changed")
      assert.deepStrictEqual([...open], [])
    }))

  it.live("of notifications end with 202 and nothing else", () =>
    Effect.gen(function*() {
      const server = yield* serve(legacy({ "notifications/odd": ({ response }) => text(response, 500, "no") }))
      const transport = yield* transports.shaken(server.url)
      yield* transport.notify("notifications/roots/list_changed")
      assert.match(
        yield* transports.outcome(transport.notify("notifications/odd")),
        /HttpStatusError: notifications\/odd was answered with HTTP status 500: no/
      )
    }))
})

describe("POSTs of the modern era", () => {
  const tool: ToolInfo = {
    name: "wähle",
    inputSchema: {
      type: "object",
      properties: {
        region: { type: "string", "x-mcp-header": "Region" },
        level: { type: "integer", "x-mcp-header": "Level" },
        note: { type: ["string", "null"], "x-mcp-header": "Note" },
        free: { type: "string" }
      }
    }
  }

  it.live("repeat revision, method, name and marked arguments in headers", () =>
    Effect.gen(function*() {
      const server = yield* serve(legacy())
      const transport = yield* transports.open(server.url)
      yield* transport.request("server/discover", transports.modern())
      const discover = yield* server.next
      assert.strictEqual(discover.headers["mcp-protocol-version"], "2026-07-28")
      assert.strictEqual(discover.headers["mcp-method"], "server/discover")
      assert.isUndefined(discover.headers["mcp-name"])
      const args = { region: " west ", level: 3, note: null, free: "x" }
      yield* transport.request("tools/call", transports.modern({ name: "wähle", arguments: args }), { tool })
      const { headers } = yield* server.next
      assert.strictEqual(headers["mcp-method"], "tools/call")
      assert.strictEqual(headers["mcp-name"], "=?base64?d8OkaGxl?=")
      assert.strictEqual(headers["mcp-param-region"], "=?base64?IHdlc3Qg?=")
      assert.strictEqual(headers["mcp-param-level"], "3")
      assert.isUndefined(headers["mcp-param-note"])
      assert.isUndefined(headers["mcp-param-free"])
      assert.isUndefined(headers["mcp-session-id"])
      yield* transport.request("resources/read", transports.modern({ uri: "file:///a b" }))
      assert.strictEqual((yield* server.next).headers["mcp-name"], "file:///a b")
    }))

  it.live("that are interrupted are cancelled by that alone", () =>
    Effect.gen(function*() {
      const closed = signal<void>()
      const server = yield* serve(legacy({
        slow: ({ response }) => {
          stream(response)({ data: { jsonrpc: "2.0", method: "notifications/message", params: {} } })
          response.on("close", () => closed.set())
        }
      }))
      const transport = yield* transports.open(server.url)
      const call = yield* Effect.forkChild(transport.request("slow", transports.modern()))
      yield* server.until(({ message }) => message.method === "slow")
      yield* Fiber.interrupt(call)
      yield* closed.wait
      yield* transport.request("server/discover", transports.modern())
      assert.deepStrictEqual(server.seen.map(({ message }) => message.method), ["slow", "server/discover"])
    }))

  it.live("are all that is posted, whatever the server asks", () =>
    Effect.gen(function*() {
      const asked = signal<void>()
      const server = yield* serve(legacy({
        work: ({ response, seen }) => {
          const send = stream(response)
          send({ data: { jsonrpc: "2.0", id: 1, method: "roots/list" } })
          Effect.runFork(Effect.map(asked.wait, () => send({ data: result(seen.message.id, "done") })))
        }
      }))
      const handlers = { "roots/list": () => Effect.sync(() => void asked.set()) }
      const transport = yield* transports.open(server.url, { handlers })
      yield* transport.settle(transports.wireOf("2026-07-28"))
      assert.strictEqual(yield* transport.request("work", transports.modern()), "done")
      yield* transport.request("ping", transports.modern())
      assert.deepStrictEqual(server.seen.map(({ message }) => message.method), ["work", "ping"])
    }))

  it.live("end with their stream: nothing is taken up again", () =>
    Effect.gen(function*() {
      const server = yield* serve(legacy({
        cut: ({ response }) => {
          stream(response)({ id: "7", data: "" })
          response.end()
        }
      }))
      const transport = yield* transports.open(server.url)
      yield* transport.settle(transports.wireOf("2026-07-28"))
      assert.match(
        yield* transports.outcome(transport.request("cut", transports.modern())),
        /^Disconnected: .+ \(EndOfInput\)/
      )
      assert.deepStrictEqual(server.seen.map(({ method }) => method), ["POST"])
    }))
})

describe("answers that are refusals", () => {
  const error = { jsonrpc: "2.0", error: { code: -32020, message: "headers", data: { why: "x" } } }

  it.live("a status with an error of JSON-RPC is that error, whether it has the id, null or none", () =>
    Effect.gen(function*() {
      for (const idOf of [(id: number | undefined) => ({ id }), () => ({ id: null }), () => ({})]) {
        const server = yield* serve(({ response, seen }) =>
          json(response, { ...error, ...idOf(seen.message.id) }, {}, 400)
        )
        const transport = yield* transports.open(server.url)
        const failed = yield* Effect.flip(transport.request("tools/list", transports.modern()))
        assert.strictEqual(failed._tag, "RemoteError")
        assert.deepInclude(failed, { code: -32020, data: { why: "x" } })
      }
    }))

  it.live("another is a status with the beginning of what came", () =>
    Effect.gen(function*() {
      let status = 500
      const server = yield* serve(({ response }) => text(response, status, "x".repeat(5_000)))
      const transport = yield* transports.open(server.url)
      for (status of [401, 403, 404, 429, 500, 503]) {
        const failed = yield* Effect.flip(transport.request("tools/list"))
        assert.deepInclude(failed, { _tag: "HttpStatusError", status, excerpt: "x".repeat(1_024) })
      }
    }))

  it.live("a server that is not there is Disconnected, and nothing was sent", () =>
    Effect.gen(function*() {
      const url = yield* Effect.scoped(Effect.map(serve(legacy()), ({ url }) => url))
      const transport = yield* transports.open(url)
      const failed = yield* Effect.flip(transport.request("tools/list"))
      assert.deepInclude(failed, { _tag: "Disconnected", sent: false })
    }))

  it.live("what is larger than a frame is an invalid response, in one text or in an event", () =>
    Effect.gen(function*() {
      const large = "x".repeat(3_000)
      const server = yield* serve(legacy({
        text: ({ response, seen }) => json(response, result(seen.message.id, large)),
        event: ({ response }) => {
          stream(response)({ data: {} })
          response.write(`data: ${large}`)
        }
      }))
      const transport = yield* transports.open(server.url, { limits: { frame: 2_000 } })
      assert.match(yield* transports.outcome(transport.request("text")), /^InvalidResponse.*larger than.* 2000/)
      assert.match(yield* transports.outcome(transport.request("event")), /^InvalidResponse.*larger than.* 2000/)
    }))
})
