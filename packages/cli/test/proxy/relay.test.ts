import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit } from "effect"
import { once } from "node:events"
import * as http from "node:http"
import * as net from "node:net"
import { buffer } from "node:stream/consumers"
import { gzipSync } from "node:zlib"
import * as Joined from "./Joined.ts"

/** A server at a free port. */
const server = (listener: http.RequestListener) =>
  Effect.gen(function*() {
    const server = yield* Effect.acquireRelease(
      Effect.sync(() => http.createServer(listener)),
      (server) => Effect.sync(() => server.close().closeAllConnections())
    )
    server.listen(0, "127.0.0.1")
    yield* Effect.promise(() => once(server, "listening"))
    const address = server.address()
    return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`
  })

/** A proxy at a path to a path of such a server. */
const relay = (listener: http.RequestListener, path = "/mcp", at = "/front") =>
  Effect.flatMap(server(listener), (there) => Joined.proxy(`http://127.0.0.1:0${at}`, `${there}${path}`))

interface Sent {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string | ReadonlyArray<string>>>
  readonly body?: string
}

const json = { "content-type": "application/json" }

/** The head of an answer, which the Scope gives up. */
const ask = (url: string, { body, headers = json, method = "POST" }: Sent = {}) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const request = http.request(url, { method, headers: headers as http.OutgoingHttpHeaders, agent: false })
      request.on("error", () => {})
      request.end(body)
      const [response] = await once(request, "response") as [http.IncomingMessage]
      return response
    }),
    (response) => Effect.sync(() => response.on("error", () => {}).destroy())
  )

/** The whole answer. */
const answered = (url: string, sent?: Sent) =>
  Effect.scoped(Effect.gen(function*() {
    const response = yield* ask(url, sent)
    const bytes = yield* Effect.promise(() => buffer(response))
    return { status: response.statusCode, headers: response.headers, bytes, body: bytes.toString() }
  }))

/** Answers with what has come. */
const mirror: http.RequestListener = async (request, response) => {
  const body = String(await buffer(request))
  const { headers, method, url } = request
  response.writeHead(207, { "content-type": "application/json", "x-answer": "yes", "set-cookie": ["a=1", "b=2"] })
    .end(JSON.stringify({ method, url, headers, body }))
}

const request = (id: number) => JSON.stringify({ jsonrpc: "2.0", id, method: "m" })

describe("a proxy from HTTP to HTTP", () => {
  it.live("passes methods, paths, queries, headers and bodies, and statuses, headers and cookies back", () =>
    Effect.gen(function*() {
      const front = yield* relay(mirror, "/mcp?key=k")
      const { body, headers, status } = yield* answered(`${front}?a=b`, {
        body: ` {"é":1.0} `,
        headers: {
          ...json,
          accept: "application/json, text/event-stream",
          authorization: "Bearer t",
          "mcp-protocol-version": "2025-06-18",
          "mcp-session-id": "s",
          "x-own": ["1", "2"],
          "keep-alive": "timeout=5",
          te: "trailers",
          "x-hop": "no",
          connection: "x-hop, close",
          "proxy-authorization": "Basic eA=="
        }
      })
      assert.strictEqual(status, 207)
      assert.deepStrictEqual(headers["set-cookie"], ["a=1", "b=2"])
      assert.strictEqual(headers["x-answer"], "yes")
      const { headers: got, ...seen } = JSON.parse(body)
      assert.deepStrictEqual(seen, { method: "POST", url: "/mcp?key=k&a=b", body: ` {"é":1.0} ` })
      assert.deepInclude(got, {
        accept: "application/json, text/event-stream",
        authorization: "Bearer t",
        "mcp-protocol-version": "2025-06-18",
        "mcp-session-id": "s",
        "x-own": "1, 2",
        "content-type": "application/json"
      })
      for (const name of ["te", "x-hop", "proxy-authorization", "keep-alive"]) assert.notProperty(got, name)
      assert.notStrictEqual(got.host, new URL(front).host)
      for (const [method, path] of [["GET", ""], ["DELETE", "/sub/a%2Fb?c"], ["PUT", "/"]] as const) {
        const { body } = yield* answered(`${front}${path}`, { method, ...(method === "PUT" && { body: "{}" }) })
        const expected = path === "" ? "/mcp?key=k" : path === "/" ? "/mcp/?key=k" : "/mcp/sub/a%2Fb?key=k&c"
        assert.deepInclude(JSON.parse(body), { method, url: expected })
      }
    }))

  it.live("passes bodies as their bytes, and answers that have none", () =>
    Effect.gen(function*() {
      const zipped = gzipSync("{}")
      const front = yield* relay((request, response) => {
        if (request.method === "HEAD") return void response.writeHead(200, { "content-length": 7 }).end()
        if (request.method === "DELETE") return void response.writeHead(204).end()
        response.writeHead(200, { ...json, "content-encoding": "gzip" }).end(zipped)
      })
      const { bytes, headers } = yield* answered(front, { body: "{}" })
      assert.strictEqual(headers["content-encoding"], "gzip")
      assert.deepStrictEqual(bytes, zipped)
      const head = yield* answered(front, { method: "HEAD" })
      assert.deepStrictEqual([head.status, head.headers["content-length"], head.body], [200, "7", ""])
      assert.deepInclude(yield* answered(front, { method: "DELETE" }), { status: 204, body: "" })
    }))

  it.live("passes what is streamed as it comes, and gives the request up when its client goes away", () =>
    Effect.gen(function*() {
      for (const method of ["GET", "POST"]) {
        const opened = yield* Deferred.make<http.ServerResponse>()
        const front = yield* relay((request, response) => {
          request.resume()
          response.writeHead(200, { "content-type": "text/event-stream" }).write("data: 1\n\n")
          Deferred.doneUnsafe(opened, Exit.succeed(response))
        })
        yield* Effect.scoped(Effect.gen(function*() {
          const response = yield* ask(front, { method, ...(method === "POST" && { body: request(1) }) })
          const there = yield* Deferred.await(opened)
          const next = Effect.promise(async () => String((await once(response, "data"))[0]))
          // The endpoint has written no more.
          assert.strictEqual(yield* next, "data: 1\n\n")
          there.write("data: 2\n\n")
          assert.strictEqual(yield* next, "data: 2\n\n")
        }))
        const there = yield* Deferred.await(opened)
        yield* Effect.promise(async () => there.closed || await once(there, "close"))
        assert.isFalse(there.writableFinished)
      }
    }))

  it.live("reads an answer no faster than its client", () =>
    Effect.gen(function*() {
      let written = 0
      const piece = Buffer.alloc(65_536)
      const stalled = yield* Deferred.make<void>()
      const front = yield* relay((request, response) => {
        if (request.method === "POST") return mirror(request, response)
        const write = () => {
          // Without a bound, all of this would be somewhere between the two.
          for (let isFree = true; isFree && !response.destroyed && written < 4_096; written++) {
            isFree = response.write(piece)
          }
          Deferred.doneUnsafe(stalled, Exit.void)
          response.once("drain", write)
        }
        response.writeHead(200, { "content-type": "application/octet-stream" })
        write()
      })
      const socket = yield* Effect.acquireRelease(
        Effect.sync(() => net.connect(Number(new URL(front).port), "127.0.0.1").pause()),
        (socket) => Effect.sync(() => socket.destroy())
      )
      socket.write("GET /front HTTP/1.1\r\nhost: localhost\r\n\r\n")
      yield* Deferred.await(stalled)
      let before = -1
      while (before !== written) {
        before = written
        yield* Effect.replicateEffect(answered(front, { body: "{}" }), 10, { discard: true })
      }
      assert.isBelow(written, 1_024)
    }))

  it.live("answers with 502 and an error of JSON-RPC where the endpoint cannot be reached", () =>
    Effect.gen(function*() {
      const front = yield* Joined.proxy("http://127.0.0.1:0/front", "http://127.0.0.1:1")
      const { body, headers, status } = yield* answered(front, { body: `[${request(1)},${request(2)}]` })
      assert.deepStrictEqual([status, headers["content-type"]], [502, "application/json"])
      const errors: ReadonlyArray<{ readonly id: number; readonly error: { readonly message: string } }> = JSON.parse(
        body
      )
      assert.deepStrictEqual(errors.map(({ error, id }) => [id, error.message]), [
        [1, "The endpoint cannot be reached"],
        [2, "The endpoint cannot be reached"]
      ])
      for (const sent of [{ method: "GET" }, { body: `{"jsonrpc":"2.0","method":"note"}` }]) {
        const { body, status } = yield* answered(front, sent)
        assert.strictEqual(status, 502)
        assert.include(body, "The endpoint cannot be reached: ")
      }
    }))

  it.live("breaks an answer off that breaks off", () =>
    Effect.gen(function*() {
      const front = yield* relay((request, response) => {
        request.resume()
        response.writeHead(200, { "content-type": "text/event-stream" })
        response.write("data: 1\n\n", () => response.destroy())
      })
      const broken = yield* Effect.scoped(
        Effect.flatMap(ask(front, { body: request(1) }), (response) => Effect.tryPromise(() => buffer(response)))
      ).pipe(Effect.flip)
      assert.include(String(broken.cause), "aborted")
    }))

  it.live("keeps pages, other hosts, other paths and other types out", () =>
    Effect.gen(function*() {
      let requests = 0
      const front = yield* relay((request, response) => {
        requests++
        mirror(request, response)
      })
      const statusOf = (sent: Sent, url = front) => Effect.map(answered(url, sent), ({ status }) => status)
      assert.strictEqual(yield* statusOf({ body: "{}", headers: { ...json, origin: "https://evil.example" } }), 403)
      assert.strictEqual(yield* statusOf({ method: "GET", headers: { host: "rebound.example" } }), 403)
      assert.strictEqual(yield* statusOf({ body: "{}", headers: { "content-type": "text/plain" } }), 415)
      assert.strictEqual(yield* statusOf({ body: " ".repeat(40_000_000) }), 413)
      const { port } = new URL(front)
      const raw = (target: string) =>
        Effect.callback<string>((resume) => {
          const socket = net.connect(Number(port), "127.0.0.1")
          socket.setEncoding("utf8").once("data", (text) => {
            socket.destroy()
            resume(Effect.succeed(String(text).slice(9, 12)))
          })
          socket.write(`GET ${target} HTTP/1.1\r\nhost: localhost\r\n\r\n`)
        })
      for (
        const target of [
          "/",
          "/frontal",
          "/front/../secret",
          "/front/%2e%2e/secret",
          "/front/..\\secret",
          "/front/a/../../x"
        ]
      ) {
        assert.strictEqual(yield* raw(target), "404", target)
      }
      assert.strictEqual(requests, 0)
      assert.strictEqual(yield* raw("/front/a/../b"), "207")
    }))
})
