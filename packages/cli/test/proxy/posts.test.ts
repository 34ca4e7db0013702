import { assert, describe, it } from "@effect/vitest"
import * as Dialect from "@parley/protocol/Dialect"
import * as Limits from "@parley/protocol/Limits"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { once } from "node:events"
import * as http from "node:http"
import { text } from "node:stream/consumers"
import * as posts from "../../src/internal/proxy/posts.ts"
import { serveHttp } from "../../src/internal/wire/listen.ts"
import * as Joined from "./Joined.ts"

const request = (id: number, method = "m") => ({ jsonrpc: "2.0", id, method })

const success = (id: number, result: unknown) => ({ jsonrpc: "2.0", id, result })

const note = { jsonrpc: "2.0", method: "note" }

type Reply = (response: http.ServerResponse) => unknown

/** A front over HTTP for the exchange of a server that replies to every post like this; gives what posts to it. */
const front = (reply: Reply) =>
  Effect.gen(function*() {
    const server = yield* Effect.acquireRelease(
      Effect.sync(() => http.createServer((_, response) => void reply(response))),
      (server) => Effect.sync(() => server.close().closeAllConnections())
    )
    server.listen(0, "127.0.0.1")
    yield* Effect.promise(() => once(server, "listening"))
    const address = server.address()
    const port = typeof address === "object" ? address?.port : undefined
    const exchange = yield* Joined.exchange(`http://127.0.0.1:${port}`)
    const rules = { ...Dialect.jsonRpc, ...Limits.defaults }
    const there = yield* serveHttp(
      { _tag: "Http", host: "127.0.0.1", port: 0, path: "/rpc" },
      posts.answering(exchange, { rules, complain: () => Effect.void })
    )
    return { address: there, post: poster(there) }
  })

/** Posts, and reads the whole answer. */
const poster = (address: string) => (message: unknown, headers: Readonly<Record<string, string>> = {}) =>
  Effect.promise(async () => {
    const posted = http.request(address, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers }
    })
    posted.end(JSON.stringify(message))
    const [response]: ReadonlyArray<http.IncomingMessage> = await once(posted, "response")
    if (response === undefined) throw new Error("no response")
    return { status: response.statusCode, type: response.headers["content-type"], body: await text(response) }
  })

const events = { accept: "application/json, text/event-stream" }

const answer = (status: number, type: string, body: string): Reply => (response) =>
  response.writeHead(status, { "content-type": type }).end(body)

const eventsOf = (...messages: ReadonlyArray<unknown>) =>
  messages.map((message) => `data: ${JSON.stringify(message)}\n\n`).join("")

describe("an exchange that answers posts", () => {
  it.live("answers a status with 502, and each request with an error that has status and excerpt in its data", () =>
    Effect.gen(function*() {
      const { post } = yield* front(answer(503, "text/html", "<h1>busy</h1>"))
      const error = {
        code: -32000,
        message: "The endpoint answered with status 503",
        data: { status: 503, excerpt: "<h1>busy</h1>" }
      }
      const { body, status, type } = yield* post([request(1), note, request(2)])
      assert.deepStrictEqual({ status, type }, { status: 502, type: "application/json" })
      assert.deepStrictEqual(JSON.parse(body), [{ jsonrpc: "2.0", id: 1, error }, { jsonrpc: "2.0", id: 2, error }])
      assert.deepStrictEqual(yield* post(note), {
        status: 502,
        type: "text/plain; charset=utf-8",
        body: "The endpoint answered with status 503."
      })
    }))

  it.live("passes a response on that comes with a status of failure", () =>
    Effect.gen(function*() {
      const body = `{"jsonrpc":"2.0", "id":1,"error":{"code":5,"message":"no"}}`
      const { post } = yield* front(answer(400, "application/json", body))
      assert.deepStrictEqual(yield* post(request(1)), { status: 502, type: "application/json", body })
    }))

  it.live("passes an error that names no request, since it comes with its post", () =>
    Effect.gen(function*() {
      const body = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no batches"}}`
      const { post } = yield* front(answer(200, "application/json", body))
      assert.deepStrictEqual(yield* post([request(1)]), { status: 200, type: "application/json", body })
    }))

  it.live("answers what the endpoint leaves out, and says nothing to notifications", () =>
    Effect.gen(function*() {
      const { post } = yield* front(answer(204, "text/plain", ""))
      assert.deepStrictEqual(yield* post(note), { status: 204, type: undefined, body: "" })
      const { body, status } = yield* post(request(1))
      assert.strictEqual(status, 502)
      assert.deepStrictEqual(JSON.parse(body), {
        jsonrpc: "2.0",
        id: 1,
        error: { code: -32000, message: "The endpoint gave no answer" }
      })
    }))

  it.live("passes a stream as a stream to who accepts events, each text as it comes", () =>
    Effect.gen(function*() {
      const opened = yield* Deferred.make<http.ServerResponse>()
      const first = yield* Deferred.make<string>()
      const { address } = yield* front((response) => {
        response.writeHead(200, { "content-type": "text/event-stream" }).write(eventsOf(note))
        Deferred.doneUnsafe(opened, Exit.succeed(response))
      })
      const exchange = yield* Joined.exchange(address)
      const texts: Array<string> = []
      const ended = yield* Effect.forkChild(exchange.post(JSON.stringify(request(1)), (text) => {
        texts.push(text)
        Deferred.doneUnsafe(first, Exit.succeed(text))
        return undefined
      }))
      // The endpoint has not answered yet.
      assert.strictEqual(yield* Deferred.await(first), JSON.stringify(note))
      const response = yield* Deferred.await(opened)
      response.end(eventsOf(request(9, "asks back"), success(1, "done")))
      assert.strictEqual(yield* Fiber.join(ended), "stream")
      assert.deepStrictEqual(texts.map((text): unknown => JSON.parse(text)), [
        note,
        request(9, "asks back"),
        success(1, "done")
      ])
    }))

  it.live("ends a stream that breaks off with an error for what was not answered", () =>
    Effect.gen(function*() {
      const { post } = yield* front((response) => {
        response.writeHead(200, { "content-type": "text/event-stream" })
        response.write(eventsOf(note), () => response.destroy())
      })
      const { body, status, type } = yield* post(request(1), events)
      assert.deepStrictEqual({ status, type }, { status: 200, type: "text/event-stream" })
      assert.include(body, eventsOf(note))
      assert.include(body, `"id":1,"error":{"code":-32000,"message":"The connection to the endpoint was lost"`)
    }))

  it.live("gives a post up when its client goes away", () =>
    Effect.gen(function*() {
      const opened = yield* Deferred.make<http.ServerResponse>()
      const { address } = yield* front((response) => void Deferred.doneUnsafe(opened, Exit.succeed(response)))
      const exchange = yield* Joined.exchange(address)
      const asking = yield* Effect.forkChild(exchange.post(JSON.stringify(request(1)), () => undefined))
      const response = yield* Deferred.await(opened)
      const closed = once(response, "close")
      yield* Fiber.interrupt(asking)
      yield* Effect.promise(() => closed)
      assert.isFalse(response.writableFinished)
    }))

  it.live("gives who accepts no events the responses of a stream alone, those of a batch as one", () =>
    Effect.gen(function*() {
      const { post } = yield* front(
        answer(200, "text/event-stream", eventsOf(note, success(2, "b"), note, success(1, "a")))
      )
      const { body, status, type } = yield* post([request(1), request(2)])
      assert.deepStrictEqual({ status, type }, { status: 200, type: "application/json" })
      assert.deepStrictEqual(JSON.parse(body), [success(2, "b"), success(1, "a")])
    }))
})
