import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Laws from "@parley/conformance/Laws"
import * as Specimen from "@parley/conformance/Specimen"
import type { RequestRules } from "@parley/http/shared"
import { ErrorResponse, type Handler, Router } from "@parley/peer"
import { Deferred, Effect, Exit, Queue, References, Scope } from "effect"
import { gzipSync } from "node:zlib"
import { check } from "./support/check.ts"
import { type Host, hosts } from "./support/httpHosts.ts"
import * as posting from "./support/posting.ts"

const quietly = Effect.provideService(References.MinimumLogLevel, "None")

/** Serves these handlers and the specimen's. */
const serving = (host: Host, handlers: Router.Handlers = {}, options?: RequestRules.RequestRulesOptions) =>
  Effect.gen(function*() {
    const router = yield* Router.make()
    yield* router.addAll({ ...Specimen.handlers, ...handlers })
    return yield* host.serve(router, options)
  }).pipe(quietly)

const echo = posting.request("echo", [1])
const result = `{"jsonrpc":"2.0","id":1,"result":[1]}`
const parseError = `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`
const json = { "content-type": "application/json" }
const typed = (contentType: string) => ({ body: echo, headers: { "content-type": contentType } })

/** What is sent, and the status and text of the answer; a text for people is not compared. */
const rules: ReadonlyArray<readonly [title: string, sent: posting.Options, status: number, text?: string]> = [
  ["a request", { body: echo }, 200, result],
  ["a notification", { body: `{"jsonrpc":"2.0","method":"update"}` }, 204, ""],
  ["a batch", { body: `[${echo},${echo}]` }, 200, `[${result},${result}]`],
  ["a batch of notifications", { body: `[{"jsonrpc":"2.0","method":"update"}]` }, 204, ""],
  ["a response", { body: result }, 204, ""],
  ["no JSON", { body: "{" }, 200, parseError],
  ["no body", {}, 200, parseError],
  ["no UTF-8", { body: Buffer.from([0x22, 0xff, 0x22]) }, 200, parseError],
  ["an encoding that is not that of JSON", { body: Buffer.from(echo, "utf16le") }, 200, parseError],
  ["a byte order mark", { body: `\uFEFF${echo}` }, 200, parseError],
  ["application/json-rpc", typed("application/json-rpc"), 200, result],
  ["application/jsonrequest", typed("application/jsonrequest"), 200, result],
  ["another JSON", typed("application/vnd.api+json"), 200, result],
  ["a charset that is UTF-8", typed("Application/JSON; charset=\"UTF-8\""), 200, result],
  ["another charset", typed("application/json; charset=iso-8859-1"), 415],
  ["another type", typed("text/plain"), 415],
  ["a type that only begins as JSON", typed("application/jsonp"), 415],
  ["no type", { body: echo, headers: {} }, 415],
  ["an encoding that is none", { body: echo, headers: { ...json, "content-encoding": "identity" } }, 200, result],
  ["a compressed message", { body: gzipSync(echo), headers: { ...json, "content-encoding": "gzip" } }, 415],
  ["GET", { method: "GET" }, 405],
  ["HEAD", { method: "HEAD" }, 405, ""],
  ["OPTIONS", { method: "OPTIONS" }, 405],
  ["PUT", { method: "PUT", body: echo }, 405],
  ["the name localhost", { body: echo, headers: { ...json, host: "localhost:1234" } }, 200, result],
  ["a foreign name", { body: echo, headers: { ...json, host: "evil.example" } }, 403],
  ["a foreign origin", { body: echo, headers: { ...json, origin: "http://evil.example" } }, 403],
  ["an origin that is null", { body: echo, headers: { ...json, origin: "null" } }, 403],
  ["another path", { body: echo, path: "/other" }, 404],
  ["a query", { body: echo, path: "/?a=b" }, 200, result],
  ["a body that is too large", { body: echo.padEnd(1_025) }, 413],
  ["a body of just that size", { body: echo.padEnd(1_024) }, 200, result]
]

/** Of bodies that do not end. */
const unfinished: ReadonlyArray<readonly [length: string, headers: Record<string, string>]> = [
  ["known", { ...json, "content-length": "100" }],
  ["unknown", json]
]

describe.each(hosts)("$name", (host) => {
  describe("answers a POST that holds", () => {
    it.live.each(rules.filter(([title]) => title !== "another path" || host.hasPaths))(
      "%s",
      ([_, sent, status, text]) =>
        Effect.gen(function*() {
          const url = yield* serving(host, {}, { limits: { frame: 1_024 } })
          const answer = yield* posting.post(url, sent)
          assert.strictEqual(answer.status, status, answer.text)
          if (text !== undefined) assert.strictEqual(answer.text, text)
          if (status === 200) assert.match(String(answer.headers["content-type"]), /^application\/json/)
          if (status === 405) assert.strictEqual(answer.headers.allow, "POST")
        })
    )
  })

  it.live("who is named may call", () =>
    Effect.gen(function*() {
      const access = { hosts: ["app.example"], origins: ["https://app.example"] }
      const url = yield* serving(host, {}, { access })
      const headers = { ...json, host: "app.example", origin: "https://app.example" }
      assert.strictEqual((yield* posting.post(url, { body: echo, headers })).status, 200)
      assert.strictEqual((yield* posting.post(url, { body: echo })).status, 403)
    }))

  it.live("promise 5: a frame beyond its limit is never buffered: its length is enough to refuse it", () =>
    Effect.gen(function*() {
      const url = yield* serving(host)
      const { head, request } = yield* posting.begin(url, { headers: { ...json, "content-length": 1_000_000_000 } })
      request.flushHeaders()
      assert.strictEqual((yield* head).statusCode, 413)
    }))

  it.live("promise 5: a frame beyond its limit is never buffered, whatever length it does not tell", () =>
    Effect.gen(function*() {
      const url = yield* serving(host, {}, { limits: { frame: 100_000 } })
      const { head, request } = yield* posting.begin(url)
      let written = 0
      const write = () => {
        while (written < 50_000_000 && !request.destroyed) {
          written += 50_000
          if (!request.write("x".repeat(50_000))) return void request.once("drain", write)
        }
      }
      write()
      assert.strictEqual((yield* head).statusCode, 413)
      assert.isBelow(written, 50_000_000)
    }))

  it.live.each(unfinished)(
    "a body that comes too slowly is 408, and its place is free again: one of %s length",
    ([_, headers]) =>
      Effect.gen(function*() {
        const url = yield* serving(host, {}, { limits: { connections: 1, partialFrame: 200 } })
        const { answer, request } = yield* posting.begin(url, { headers })
        request.write("{")
        assert.strictEqual((yield* answer).status, 408)
        assert.strictEqual((yield* posting.post(url, { body: echo })).status, 200)
      })
  )

  it.live.each(unfinished)(
    "promise 8: an interrupted or timed-out call leaves nothing behind: who goes away within a body of %s length",
    ([_, headers]) =>
      Effect.gen(function*() {
        const url = yield* serving(host, {}, { limits: { connections: 1 } })
        const { request } = yield* posting.begin(url, { headers })
        request.write("{")
        let status = 200
        while (status === 200) status = (yield* posting.post(url, { body: echo })).status
        assert.strictEqual(status, 503)
        request.destroy()
        while (status === 503) status = (yield* posting.post(url, { body: echo })).status
        assert.strictEqual(status, 200)
      })
  )

  it.live("requests beyond `connections` are 503, until one of them has ended", () =>
    Effect.gen(function*() {
      const begun = yield* Queue.unbounded<void>()
      const go = yield* Deferred.make<void>()
      const wait = () => Effect.andThen(Queue.offer(begun, undefined), Effect.as(Deferred.await(go), "went"))
      const url = yield* serving(host, { wait }, { limits: { connections: 2 } })
      const body = posting.request("wait")
      const running = [yield* posting.begin(url), yield* posting.begin(url)]
      for (const { request } of running) request.end(body)
      // Both run at once.
      yield* Effect.andThen(Queue.take(begun), Queue.take(begun))
      const refused = yield* posting.post(url, { body })
      assert.strictEqual(refused.status, 503)
      assert.strictEqual(refused.headers["retry-after"], "1")
      yield* Deferred.succeed(go, undefined)
      for (const { answer } of running) assert.include((yield* answer).text, "went")
      assert.strictEqual((yield* posting.post(url, { body })).status, 200)
    }))

  it.live("promise 8: an interrupted or timed-out call leaves nothing behind: who goes away interrupts its handlers", () =>
    Effect.gen(function*() {
      const begun = yield* Deferred.make<void>()
      const interrupted = yield* Deferred.make<void>()
      const wait = () =>
        Effect.onInterrupt(
          Effect.andThen(Deferred.succeed(begun, undefined), Effect.never),
          () => Deferred.succeed(interrupted, undefined)
        )
      const url = yield* serving(host, { wait }, { limits: { connections: 1 } })
      const { request } = yield* posting.begin(url)
      request.end(posting.request("wait"))
      yield* Deferred.await(begun)
      request.destroy()
      yield* Deferred.await(interrupted)
      // Its place is free again, as soon as the host knows.
      let status = 503
      while (status === 503) status = (yield* posting.post(url, { body: echo })).status
      assert.strictEqual(status, 200)
    }))

  it.live("promise 15: a defect answers -32603 without data", () =>
    Effect.gen(function*() {
      const url = yield* serving(host)
      const { text } = yield* posting.post(url, { body: posting.request("crash") })
      assert.strictEqual(text, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error"}}`)
    }))

  const sending: Router.Handlers = {
    count: (call) =>
      Effect.gen(function*() {
        yield* call.progress({ percentage: 50 })
        yield* call.peer.notify("tick", { line: "a\nb" })
        return "done"
      }).pipe(Effect.mapError(ErrorResponse.internalError))
  }
  const count = posting.request("count", { workDoneToken: "t" })
  const events = { ...json, accept: "application/json, text/event-stream" }

  it.live("promise 11: what belongs to a call reaches it before its response, as events", () =>
    Effect.gen(function*() {
      const url = yield* serving(host, sending)
      const answer = yield* posting.post(url, { body: count, headers: events })
      assert.match(String(answer.headers["content-type"]), /^text\/event-stream/)
      assert.deepStrictEqual(answer.text.split("\n\n"), [
        `data: {"jsonrpc":"2.0","method":"$/progress","params":{"percentage":50,"token":"t"}}`,
        `data: {"jsonrpc":"2.0","method":"tick","params":{"line":"a\\nb"}}`,
        `data: {"jsonrpc":"2.0","id":1,"result":"done"}`,
        ""
      ])
    }))

  it.live("what is sent by a notification's handler ends in a stream without a response", () =>
    Effect.gen(function*() {
      const url = yield* serving(host, sending)
      const answer = yield* posting.post(url, { body: `{"jsonrpc":"2.0","method":"count"}`, headers: events })
      assert.strictEqual(answer.text, `data: {"jsonrpc":"2.0","method":"tick","params":{"line":"a\\nb"}}\n\n`)
    }))

  it.live("nothing is a stream that nobody asked for, or that has nothing to stream", () =>
    Effect.gen(function*() {
      const url = yield* serving(host, sending)
      const unasked = yield* posting.post(url, {
        body: count,
        headers: { ...json, accept: "text/event-stream;q=0, */*" }
      })
      assert.include(unasked.text, `"error"`)
      const idle = yield* posting.post(url, { body: echo, headers: events })
      assert.strictEqual(idle.text, result)
      assert.match(String(idle.headers["content-type"]), /^application\/json/)
    }))

  it.live("promise 18: callers suspend on a full outbox: a handler waits for a client that does not read its events", () =>
    Effect.gen(function*() {
      const seen = { sent: 0, isInterrupted: false }
      const flood: Handler.Handler = (call) =>
        call.peer.notify("n", ["x".repeat(100_000)]).pipe(
          Effect.tap(() => Effect.sync(() => void seen.sent++)),
          Effect.repeat({ times: 500 }),
          Effect.onInterrupt(() => Effect.sync(() => void (seen.isInterrupted = true))),
          Effect.mapError(ErrorResponse.internalError)
        )
      const url = yield* serving(host, { flood })
      const { head, request } = yield* posting.begin(url, { headers: events })
      request.end(posting.request("flood"))
      const response = yield* head
      response.pause()
      // It stands still when it has sent nothing more for a while of the server's own.
      for (let last = -1; last !== seen.sent || last === 0;) {
        last = seen.sent
        yield* posting.post(url, { body: posting.request("sleep", [50]) })
      }
      assert.isBelow(seen.sent, 400)
      request.destroy()
      while (!seen.isInterrupted) yield* posting.post(url, { body: echo })
    }))
})

describe.each(hosts)("$name keeps the laws of hosts that answer by themselves", (host) => {
  let url = ""
  const scope = Scope.makeUnsafe()
  beforeAll(async () => {
    url = await Effect.runPromise(Scope.provide(serving(host), scope))
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  check(Laws.ofHost({
    name: host.name,
    answer: (text) =>
      Effect.promise(async () => {
        const answer = await fetch(url, { method: "POST", headers: json, body: text })
        return answer.status === 204 ? undefined : await answer.text()
      })
  }, { runs: 10 }))
})
