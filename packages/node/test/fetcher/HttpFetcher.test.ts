import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { EventStream } from "@parley/http/shared"
import { HttpFetcher } from "@parley/http/shared/client"
import * as NodeHttp from "@parley/node/NodeHttp"
import { Deferred, Effect, Fiber, Layer, Schema, Scope } from "effect"
import { FetchHttpClient, type HttpClient } from "effect/http"
import type * as http from "node:http"
import * as overFetch from "../../src/internal/http/overFetch.ts"
import * as servers from "../support/httpServers.ts"

const over = (client: Layer.Layer<HttpClient.HttpClient>) =>
  Effect.flatMap(Layer.build(client), (context) => Effect.provideContext(HttpFetcher.make(), context))

const fetchers: ReadonlyArray<{
  readonly name: string
  readonly make: Effect.Effect<HttpFetcher.HttpFetcher, unknown, Scope.Scope>
}> = [
  { name: "NodeHttp", make: NodeHttp.makeFetcher() },
  { name: "NodeHttp without undici", make: overFetch.make({}) },
  { name: "HttpFetcher over undici", make: over(NodeHttpClient.layerUndici) },
  { name: "HttpFetcher over node:http", make: over(NodeHttpClient.layerNodeHttp) },
  { name: "HttpFetcher over fetch", make: over(FetchHttpClient.layer) }
]

const limit = 1_000

/** Says what came, and answers with the status that the query names. */
const mirror: http.RequestListener = (request, response) => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk) => chunks.push(chunk))
  request.on("end", () => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost")
    const body = Buffer.concat(chunks).toString()
    response.writeHead(Number(searchParams.get("status") ?? 200), {
      "content-type": "text/plain",
      "mcp-session-id": request.headers["mcp-session-id"] ?? "new",
      location: "/other"
    })
    response.end(`${request.method} ${pathname} ${request.headers["content-type"]} ${body}`)
  })
}

class Enough extends Schema.TaggedError<Enough>()("Enough", {}) {}

/** Writes without end, and tells how much, and when nobody reads any more. */
const endless = () => {
  const seen = { written: 0, closed: Deferred.makeUnsafe<void>() }
  const listener: http.RequestListener = (request, response) => {
    request.resume()
    response.on("close", () => Deferred.doneUnsafe(seen.closed, Effect.void))
    response.writeHead(200, { "content-type": EventStream.contentType })
    const write = () => {
      for (let isFree = true; isFree && !response.destroyed;) {
        seen.written++
        isFree = response.write(EventStream.encode("x".repeat(500)))
      }
      response.once("drain", write)
    }
    write()
  }
  return { seen, listener }
}

describe.each(fetchers)("$name", ({ make }) => {
  it.live("sends what it is told, and gives status and headers whatever they are", () =>
    Effect.gen(function*() {
      const fetcher = yield* make
      const url = yield* servers.answering(mirror)
      const got = (request: Omit<HttpFetcher.Request, "url">, query: string) =>
        Effect.scoped(Effect.gen(function*() {
          const response = yield* fetcher.fetch({ ...request, url: `${url}rpc${query}` })
          const text = yield* HttpFetcher.text(response, limit)
          return [response.status, response.header("mcp-session-id"), response.header("absent"), text]
        }))
      const posted = { method: "POST", headers: { "content-type": "application/json" }, body: "{\"€\":1}" }
      assert.deepStrictEqual(yield* got(posted, ""), [200, "new", undefined, "POST /rpc application/json {\"€\":1}"])
      const own = { headers: { "mcp-session-id": "5" } }
      assert.deepStrictEqual(yield* got({ method: "GET", ...own }, "?status=404"), [
        404,
        "5",
        undefined,
        "GET /rpc undefined "
      ])
      assert.deepStrictEqual(yield* got({ method: "DELETE", ...own }, "?status=302"), [
        302,
        "5",
        undefined,
        "DELETE /rpc undefined "
      ])
    }))

  it.live("names the headers of an answer, and gives each of its cookies", () =>
    Effect.gen(function*() {
      const fetcher = yield* make
      const url = yield* servers.answering((_, response) =>
        void response.writeHead(200, { "x-one": "1", "set-cookie": ["a=1", "b=2"], "content-type": "text/plain" }).end(
          "x"
        )
      )
      const { cookies, names } = yield* fetcher.fetch({ method: "GET", url })
      assert.includeMembers([...names?.() ?? []], ["x-one", "content-type"])
      assert.deepStrictEqual(cookies, ["a=1", "b=2"])
    }))

  it.live("gives each piece once to a taker that waits after each", () =>
    Effect.gen(function*() {
      const fetcher = yield* make
      const opened = yield* Deferred.make<http.ServerResponse>()
      const url = yield* servers.answering((_, response) => {
        // What has come ends in the midst of a chunk.
        response.socket?.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\na")
        Deferred.doneUnsafe(opened, Effect.succeed(response))
      })
      const answer = yield* fetcher.fetch({ method: "GET", url })
      const first = yield* Deferred.make<void>()
      const lengths: Array<number> = []
      const reading = yield* Effect.forkChild(answer.read((piece) => {
        lengths.push(piece.length)
        if (lengths.length > 100) return Effect.die("it gives nothing for ever")
        return Effect.andThen(Effect.yieldNow, Deferred.succeed(first, undefined))
      }))
      yield* Deferred.await(first)
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      const response = yield* Deferred.await(opened)
      response.socket?.write("bc\r\n0\r\n\r\n")
      yield* Fiber.join(reading)
      assert.notInclude(lengths, 0)
      assert.strictEqual(lengths.reduce((sum, length) => sum + length, 0), 3)
    }))

  it.live("an answer without a body is an empty text", () =>
    Effect.gen(function*() {
      const fetcher = yield* make
      for (const status of [202, 204]) {
        const url = yield* servers.answering((_, response) => void response.writeHead(status).end())
        const response = yield* fetcher.fetch({ method: "GET", url })
        assert.deepStrictEqual([response.status, yield* HttpFetcher.text(response, limit)], [status, ""])
      }
    }))

  it.live("events come with their ids, names and delays, one after the other is taken", () =>
    Effect.gen(function*() {
      const fetcher = yield* make
      const url = yield* servers.answering((_, response) => {
        response.writeHead(200, EventStream.headers)
        response.write(EventStream.encodeFields({ id: "a", retry: 1_500, data: "" }) + EventStream.keepAlive)
        response.end(EventStream.encodeFields({ id: "b", event: "ping", data: "one\ntwo" }) + EventStream.encode("3"))
      })
      const response = yield* fetcher.fetch({ method: "GET", url })
      assert.strictEqual(response.header("content-type"), EventStream.contentType)
      const came: Array<unknown> = []
      yield* HttpFetcher.events(response, limit, (event) =>
        Effect.andThen(
          Effect.sync(() => came.push(event)),
          Effect.andThen(Effect.yieldNow, Effect.sync(() => void came.push("taken")))
        ))
      assert.deepStrictEqual(came.filter((one) => one !== "taken"), [
        { _tag: "Retry", milliseconds: 1_500 },
        { _tag: "Event", id: "a", event: "message", data: "" },
        { _tag: "Event", id: "b", event: "ping", data: "one\ntwo" },
        { _tag: "Event", id: "b", event: "message", data: "3" }
      ])
      assert.strictEqual(came.lastIndexOf("taken"), 7)
    }))

  it.live("promise 5: a frame beyond its limit is never buffered, be it a text or an event", () =>
    Effect.gen(function*() {
      const fetcher = yield* make
      const { listener } = endless()
      const url = yield* servers.answering(listener)
      const fetched = fetcher.fetch({ method: "GET", url })
      const text = yield* Effect.flip(Effect.scoped(Effect.flatMap(fetched, (one) => HttpFetcher.text(one, limit))))
      assert.deepInclude(text, { _tag: "BadAnswer", rule: "the answer is larger than the limit of 1000 bytes" })
      const read = Effect.flatMap(fetched, (response) => HttpFetcher.events(response, 100, () => undefined))
      // The size is looked at where a piece ends, and a piece may end behind an event.
      const events = yield* Effect.flip(Effect.scoped(read))
      assert.deepInclude(events, { _tag: "BadAnswer", rule: "an event is larger than 100" })
    }))

  it.live("what is no UTF-8 is told", () =>
    Effect.gen(function*() {
      const fetcher = yield* make
      const url = yield* servers.answering((_, response) => void response.end(Buffer.from([0xff])))
      const response = yield* fetcher.fetch({ method: "GET", url })
      assert.deepInclude(yield* Effect.flip(HttpFetcher.text(response, limit)), { rule: "the answer is not UTF-8" })
    }))

  it.live("nobody there, or no URL, is Open with nothing sent; what breaks off is Lost", () =>
    Effect.gen(function*() {
      const fetcher = yield* make
      const reasons = []
      for (const url of [yield* servers.nobody, "nowhere"]) {
        const { reason, sent } = yield* Effect.flip(fetcher.fetch({ method: "GET", url }))
        reasons.push([reason._tag, sent])
      }
      const silent = yield* servers.raw((socket) => socket.on("data", () => socket.destroy()))
      const unanswered = yield* Effect.flip(fetcher.fetch({ method: "POST", url: silent, body: "{}" }))
      reasons.push([unanswered.reason._tag, unanswered.sent])
      const partial = yield* servers.answering((_, response) => {
        response.writeHead(200, { "content-length": 100 })
        response.write("some", () => response.destroy())
      })
      const response = yield* fetcher.fetch({ method: "GET", url: partial })
      const broken = yield* Effect.flip(response.read(() => undefined))
      reasons.push([broken.reason._tag, broken.sent])
      assert.deepStrictEqual(reasons, [["Open", false], ["Open", false], ["Lost", true], ["Lost", true]])
    }))

  it.live("promise 8: an interrupted or timed-out call leaves nothing behind: a Scope that closes gives the answer up", () =>
    Effect.gen(function*() {
      const fetcher = yield* make
      const [unread, reading] = [endless(), endless()]
      const urls = [yield* servers.answering(unread.listener), yield* servers.answering(reading.listener)]
      yield* Effect.scoped(fetcher.fetch({ method: "GET", url: urls[0] ?? "" }))
      yield* Deferred.await(unread.seen.closed)
      const begun = yield* Deferred.make<void>()
      const fiber = yield* Effect.forkChild(Effect.scoped(Effect.flatMap(
        fetcher.fetch({ method: "GET", url: urls[1] ?? "" }),
        (response) => response.read(() => Deferred.succeed(begun, undefined).pipe(Effect.andThen(Effect.never)))
      )))
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(fiber)
      yield* Deferred.await(reading.seen.closed)
    }))

  it.live("promise 18: callers suspend on a full outbox: an answer that is not taken makes the server wait", () =>
    Effect.gen(function*() {
      const fetcher = yield* make
      const { listener, seen } = endless()
      const url = yield* servers.answering(listener)
      const response = yield* fetcher.fetch({ method: "GET", url })
      const other = yield* servers.answering(mirror)
      const standstill = Effect.gen(function*() {
        for (let last = -1, same = 0; same < 5;) {
          same = last === seen.written ? same + 1 : 0
          last = seen.written
          yield* Effect.scoped(
            fetcher.fetch({ method: "GET", url: other }).pipe(
              Effect.flatMap((response) => HttpFetcher.text(response, limit))
            )
          )
        }
      })
      yield* standstill
      assert.isBelow(seen.written, 20_000_000 / 600)
      let taken = 0
      // Taking it lets the server go on, and failing ends it.
      const enough = yield* Effect.flip(response.read((chunk) => {
        taken += chunk.length
        return taken > 20_000_000 ? Effect.fail(new Enough()) : undefined
      }))
      assert.strictEqual(enough._tag, "Enough")
      assert.isAbove(seen.written, 20_000_000 / 600)
    }))
})

describe("NodeHttp.makeFetcher", () => {
  it.live("keeps its connections, and ends them with its Scope", () =>
    Effect.gen(function*() {
      const sockets = new Set<unknown>()
      const closed = yield* Deferred.make<void>()
      const url = yield* servers.answering((request, response) => {
        sockets.add(request.socket)
        request.socket.on("close", () => Deferred.doneUnsafe(closed, Effect.void))
        mirror(request, response)
      })
      yield* Effect.scoped(Effect.gen(function*() {
        const fetcher = yield* NodeHttp.makeFetcher()
        for (let times = 0; times < 10; times++) {
          const response = yield* fetcher.fetch({ method: "GET", url })
          yield* HttpFetcher.text(response, limit)
        }
      }))
      yield* Deferred.await(closed)
      assert.isAtMost(sockets.size, 2)
    }))

  it.live("certificates that cannot be read are Open", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(NodeHttp.makeFetcher({ tls: { cert: "none" } }))
      assert.strictEqual(error.reason._tag, "Open")
    }))
})
