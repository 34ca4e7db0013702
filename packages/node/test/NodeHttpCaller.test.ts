import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Specimen from "@parley/conformance/Specimen"
import * as HttpCaller from "@parley/http/HttpCaller"
import * as NodeHttp from "@parley/node/NodeHttp"
import { type Caller, ErrorResponse, Router } from "@parley/peer"
import { Cause, Deferred, Effect, Exit, Fiber, Layer, Queue, Result, type Scope } from "effect"
import { FetchHttpClient, type HttpClient } from "effect/http"
import type * as http from "node:http"
import type { Socket } from "node:net"
import * as certificates from "./support/certificates.ts"
import * as servers from "./support/httpServers.ts"

const over = (client: Layer.Layer<HttpClient.HttpClient>) => (options: HttpCaller.HttpCallerOptions) =>
  Effect.flatMap(Layer.build(client), (context) => Effect.provideContext(HttpCaller.make(options), context))

const callers: ReadonlyArray<{
  readonly name: string
  readonly make: (options: HttpCaller.HttpCallerOptions) => Effect.Effect<Caller.Caller, unknown, Scope.Scope>
  /** Connections for calls one after the other: undici frees one a moment after the answer, Node's keep none. */
  readonly connections: number
}> = [
  { name: "NodeHttp", make: NodeHttp.makeCaller, connections: 2 },
  { name: "HttpCaller over undici", make: over(NodeHttpClient.layerUndici), connections: 2 },
  { name: "HttpCaller over node:http", make: over(NodeHttpClient.layerNodeHttp), connections: 10 },
  { name: "HttpCaller over fetch", make: over(FetchHttpClient.layer), connections: 2 }
]

const serving = (handlers: Router.Handlers = {}) =>
  Effect.gen(function*() {
    const router = yield* Router.make()
    yield* router.addAll({ ...Specimen.handlers, ...handlers })
    const { address } = yield* Effect.provideService(NodeHttp.serveRouter({ port: 0 }), Router.Router, router)
    return address
  })

const inWords = (exit: Exit.Exit<unknown, Caller.CallError>): string => {
  if (Exit.isSuccess(exit)) return `success ${JSON.stringify(exit.value)}`
  const error = exit.cause.reasons.find(Cause.isFailReason)?.error
  switch (error?._tag) {
    case "Disconnected":
      return `Disconnected ${error.reason._tag} ${error.sent}`
    case "RemoteError":
      return `RemoteError ${error.code}`
    case "HttpStatusError":
      return `HttpStatusError ${error.status} ${error.excerpt.slice(0, 6)} ${error.excerpt.length}`
    case "InvalidResponse":
      return `InvalidResponse ${error.rule}`
    default:
      return String(error?._tag)
  }
}

const respond = (
  status: number,
  contentType: string | undefined,
  body: string | Uint8Array = "",
  headers = {}
): http.RequestListener =>
(request, response) => {
  request.resume()
  request.on("end", () => {
    response.writeHead(status, { ...(contentType === undefined ? {} : { "content-type": contentType }), ...headers })
    response.end(body)
  })
}

const json = "application/json"
const success = (id: number, result: unknown) => JSON.stringify({ jsonrpc: "2.0", id, result })
const five = success(1, 5)
const error = `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}`
const sse = "text/event-stream; charset=utf-8"

/** Writes without end, until the connection closes. */
const endless: (contentType: string) => http.RequestListener = (contentType) => (request, response) => {
  request.resume()
  response.writeHead(200, { "content-type": contentType })
  const write = () => {
    while (!response.destroyed && response.write("x".repeat(65_536)));
    if (!response.destroyed) response.once("drain", write)
  }
  write()
}

const endings: ReadonlyArray<readonly [title: string, server: http.RequestListener, ending: string | RegExp]> = [
  ["200 with a response", respond(200, json, five), "success 5"],
  ["201 with a response", respond(201, "application/json-rpc; charset=UTF-8", five), "success 5"],
  ["200 with another charset than its bytes have", respond(200, `${json}; charset=iso-8859-1`, five), "success 5"],
  ["200 with another response", respond(200, json, five.replace("1", "2")), /^InvalidResponse/],
  ["200 with no response", respond(200, json, "[]"), /^InvalidResponse/],
  ["200 with no JSON", respond(200, json, "{"), /^InvalidResponse/],
  ["200 with no UTF-8", respond(200, json, Buffer.from([0x22, 0xff])), "InvalidResponse the answer is not UTF-8"],
  [
    "200 with HTML",
    respond(200, "text/html", "<html>"),
    "InvalidResponse the content type of the answer is text/html, not JSON"
  ],
  ["200 without a type", respond(200, undefined, five), "InvalidResponse the answer has no content type"],
  ["200 with nothing", respond(200, json), "InvalidResponse no response came"],
  ["204", respond(204, undefined), "InvalidResponse no response came"],
  [
    "200 with a body that says to be too large",
    respond(200, json, `"${"x".repeat(3_000)}"`),
    /^InvalidResponse .*2000/
  ],
  [
    "200 with a body without end",
    endless(json),
    "InvalidResponse the answer is larger than the limit `frame` of 2000 bytes"
  ],
  ["200 with an event without end", endless(sse), "InvalidResponse an event is larger than 2000"],
  ["400 with a response, as of aria2", respond(400, "application/json-rpc", error), "RemoteError 1"],
  ["500 with a response", respond(500, json, error), "RemoteError 1"],
  ["500 with a result", respond(500, json, five), "success 5"],
  ["401 with other JSON", respond(401, json, `{"message":"who?"}`), `HttpStatusError 401 {"mess 18`],
  ["502 with HTML", respond(502, "text/html", "<html>".padEnd(100)), "HttpStatusError 502 <html> 100"],
  ["502 with much HTML", respond(502, "text/html", "<html>".padEnd(100_000)), "HttpStatusError 502 <html> 1024"],
  ["503 with nothing", respond(503, undefined), "HttpStatusError 503  0"],
  [
    "404 with an excerpt that is no UTF-8",
    respond(404, "text/plain", Buffer.from([0xff])),
    "HttpStatusError 404 \uFFFD 1"
  ],
  ["events", respond(200, sse, `: hello\n\nevent: ping\ndata: x\n\ndata: ${five}\n\n`), "success 5"],
  [
    "an event in several lines",
    respond(200, sse, `data: {"jsonrpc":"2.0",\r\ndata: "id":1,"result":5}\r\n\r\n`),
    "success 5"
  ],
  [
    "events without a response",
    respond(200, sse, `data: {"jsonrpc":"2.0","method":"n"}\n\n`),
    "Disconnected EndOfInput true"
  ],
  ["events with another response", respond(200, sse, `data: ${five.replace("1", "2")}\n\n`), /^InvalidResponse/],
  ["a response and then nothing, but the stream stays", (request, response) => {
    request.resume()
    response.writeHead(200, { "content-type": sse })
    response.write(`data: ${five}\n\n`)
  }, "success 5"]
]

describe.each(callers)("$name", ({ connections, make }) => {
  const options = { limits: { frame: 2_000 } }

  describe("promise 7: a call ends exactly once, by", () => {
    it.live.each(endings)("%s", ([_, server, ending]) =>
      Effect.gen(function*() {
        const caller = yield* make({ ...options, url: yield* servers.answering(server) })
        const words = inWords(yield* Effect.exit(caller.request("m")))
        if (typeof ending === "string") assert.strictEqual(words, ending)
        else assert.match(words, ending)
      }))

    it.live.each<[string, string, (socket: Socket) => void]>([
      ["garbage", "Disconnected Lost true", (socket) => socket.end("SSH-2.0-OpenSSH\r\n")],
      ["a close", "Disconnected Lost true", (socket) => socket.on("data", () => socket.end())],
      ["a reset", "Disconnected Lost true", (socket) => socket.on("data", () => socket.resetAndDestroy())],
      [
        "a reset within the body",
        "Disconnected Lost true",
        (socket) =>
          socket.on(
            "data",
            () =>
              socket.write(`HTTP/1.1 200 OK\r\nContent-Type: ${json}\r\nContent-Length: 1000\r\n\r\n{`, () =>
                socket.resetAndDestroy())
          )
      ],
      [
        "a close within the body",
        "Disconnected Lost true",
        (socket) =>
          socket.on(
            "data",
            () => socket.end(`HTTP/1.1 200 OK\r\nContent-Type: ${json}\r\nContent-Length: 1000\r\n\r\n{`)
          )
      ],
      [
        "a close within an event",
        "Disconnected Lost true",
        (socket) =>
          socket.on(
            "data",
            () =>
              socket.end(`HTTP/1.1 200 OK\r\nContent-Type: ${sse}\r\nTransfer-Encoding: chunked\r\n\r\n5\r\ndata:\r\n`)
          )
      ]
    ])("%s", ([_, ending, server]) =>
      Effect.gen(function*() {
        const caller = yield* make({ url: yield* servers.raw(server) })
        assert.strictEqual(inWords(yield* Effect.exit(caller.request("m"))), ending)
        assert.strictEqual(inWords(yield* Effect.exit(caller.notify("m"))), ending)
      }))

    it.live("nobody who listens, or no name", () =>
      Effect.gen(function*() {
        for (const url of [yield* servers.nobody, "http://nobody.invalid/"]) {
          const caller = yield* make({ url })
          assert.strictEqual(inWords(yield* Effect.exit(caller.request("m"))), "Disconnected Open false")
          assert.strictEqual(inWords(yield* Effect.exit(caller.notify("m"))), "Disconnected Open false")
          const [outcome] = yield* caller.batch([{ method: "m" }])
          assert.strictEqual(outcome !== undefined && Result.isFailure(outcome) && outcome.failure._tag, "Disconnected")
        }
      }))
  })

  it.live("a redirect is not followed", () =>
    Effect.gen(function*() {
      let hits = 0
      const url = yield* servers.answering((request, response) => {
        hits++
        respond(307, undefined, "", { location: "/elsewhere" })(request, response)
      })
      const caller = yield* make({ url })
      assert.match(inWords(yield* Effect.exit(caller.request("m"))), /^HttpStatusError 307/)
      assert.strictEqual(hits, 1)
    }))

  it.live("calls, notifications and batches of a server", () =>
    Effect.gen(function*() {
      const caller = yield* make({ url: yield* serving() })
      assert.strictEqual(yield* caller.request("subtract", [42, 23]), 19)
      assert.strictEqual(inWords(yield* Effect.exit(caller.request("fail"))), "RemoteError 1234")
      assert.strictEqual(yield* caller.notify("update", [1]), undefined)
      const [sum, note, missing] = yield* caller.batch([
        { method: "sum", params: [1, 2] },
        { method: "update", notification: true },
        { method: "missing" }
      ])
      assert.deepStrictEqual(sum, Result.succeed(3))
      assert.isUndefined(note)
      assert.strictEqual(missing !== undefined && Result.isFailure(missing) && missing.failure._tag, "RemoteError")
    }))

  it.live("promise 16: ids start at 1 and are never reused, with 300 calls at once", () =>
    Effect.gen(function*() {
      const ids: Array<number> = []
      const url = yield* servers.answering(servers.withBody((body, response) => {
        const { id } = JSON.parse(body)
        ids.push(id)
        response.writeHead(200, { "content-type": json }).end(success(id, id))
      }))
      const caller = yield* make({ url })
      yield* Effect.all(Array.from({ length: 300 }, () => caller.request("m")), { concurrency: 100 })
      assert.deepStrictEqual(ids.toSorted((a, b) => a - b), Array.from({ length: 300 }, (_, index) => index + 1))
    }))

  it.live("promise 8: an interrupted or timed-out call leaves nothing behind: the server sees the connection close", () =>
    Effect.gen(function*() {
      const begun = yield* Queue.unbounded<void>()
      const closed = yield* Queue.unbounded<void>()
      const url = yield* servers.answering((request, response) => {
        request.resume()
        Queue.offerUnsafe(begun, undefined)
        response.on("close", () => Queue.offerUnsafe(closed, undefined))
      })
      const caller = yield* make({ url })
      const call = yield* Effect.forkChild(caller.request("m"))
      yield* Queue.take(begun)
      yield* Fiber.interrupt(call)
      yield* Queue.take(closed)
      assert.strictEqual(inWords(yield* Effect.exit(caller.request("m", [], { timeout: 1_000 }))), "RequestTimeout")
      yield* Queue.take(closed)
    }))

  it.live("a connection is used again", () =>
    Effect.gen(function*() {
      const sockets = new Set<unknown>()
      const url = yield* servers.answering((request, response) => {
        sockets.add(request.socket)
        servers.withBody((body, response) =>
          response.writeHead(200, { "content-type": json }).end(success(JSON.parse(body).id, 5))
        )(request, response)
      })
      const caller = yield* make({ url })
      for (let id = 1; id <= 10; id++) assert.strictEqual(yield* caller.request("m"), 5)
      assert.isAtMost(sockets.size, connections)
    }))

  it.live("headers belong to all calls, or to those made inside", () =>
    Effect.gen(function*() {
      const url = yield* servers.answering((request, response) =>
        servers.withBody((body, response) => {
          const { accept, authorization, "content-type": contentType, "x-all": all } = request.headers
          const result = [accept, authorization, contentType, all]
          response.writeHead(200, { "content-type": json }).end(
            success(JSON.parse(body).id, result)
          )
        })(request, response)
      )
      const caller = yield* make({ url, headers: { "x-all": "a", authorization: "none" } })
      const usual = ["application/json, text/event-stream", "none", json, "a"]
      assert.deepStrictEqual(yield* caller.request("m"), usual)
      const own = Effect.provideService(caller.request("m"), HttpCaller.Headers, { Authorization: "Bearer x" })
      assert.deepStrictEqual(yield* own, [usual[0]!, "Bearer x", json, "a"])
      assert.deepStrictEqual(yield* caller.request("m"), usual)
    }))

  it.live("promise 11: what belongs to a call reaches it before its response, as events of its answer", () =>
    Effect.gen(function*() {
      const goOn = yield* Deferred.make<void>()
      const url = yield* serving({
        count: (call) =>
          Effect.gen(function*() {
            yield* call.progress({ percentage: 50 })
            yield* Deferred.await(goOn)
            yield* call.peer.notify("tick", [1])
            yield* call.partialResult?.(["a"]) ?? Effect.void
            return ["b"]
          }).pipe(Effect.mapError(ErrorResponse.internalError))
      })
      const caller = yield* make({ url })
      const heard: Array<unknown> = []
      yield* caller.listen("tick", { take: (params) => heard.push(params) > 0, end: () => {} })
      const result = yield* caller.request("count", {}, {
        onProgress: (params) => {
          heard.push(params)
          // It was not kept back until the end.
          Deferred.doneUnsafe(goOn, Effect.void)
        },
        onPartialResult: (value) => heard.push(value)
      })
      assert.deepStrictEqual([...heard, result], [{ percentage: 50, token: "progress-1" }, [1], ["a"], ["b"]])
    }))

  it.live("a pause makes the server wait", () =>
    Effect.gen(function*() {
      let sent = 0
      const url = yield* serving({
        flood: (call) =>
          Effect.suspend(() => call.partialResult?.(["x".repeat(100_000)]) ?? Effect.void).pipe(
            Effect.tap(() => Effect.sync(() => void sent++)),
            Effect.repeat({ times: 149 }),
            Effect.as([]),
            Effect.mapError(ErrorResponse.internalError)
          )
      })
      const caller = yield* make({ url })
      const first = yield* Deferred.make<() => void>()
      let taken = 0
      const onPartialResult = () => {
        if (taken++ === 0) Deferred.doneUnsafe(first, Effect.succeed(caller.pause()))
      }
      const call = yield* Effect.forkChild(caller.request("flood", {}, { onPartialResult }))
      const goOn = yield* Deferred.await(first)
      for (let last = -1; last !== sent;) {
        last = sent
        yield* caller.request("sleep", [50])
      }
      assert.isBelow(sent, 140)
      assert.strictEqual(taken, 1)
      goOn()
      yield* Fiber.join(call)
      assert.strictEqual(taken, 150)
    }))
})

describe("NodeHttp", () => {
  it.live("promise 9: closing ends every call with Disconnected, and its connections", () =>
    Effect.gen(function*() {
      const begun = yield* Deferred.make<void>()
      const closed = yield* Deferred.make<void>()
      const url = yield* servers.raw((socket) => {
        socket.on("data", () => Deferred.doneUnsafe(begun, Effect.void))
        socket.on("close", () => Deferred.doneUnsafe(closed, Effect.void))
      })
      const call = yield* Effect.scoped(Effect.gen(function*() {
        const caller = yield* NodeHttp.makeCaller({ url })
        const call = yield* Effect.forkDetach(caller.request("m"))
        yield* Deferred.await(begun)
        return call
      }))
      assert.strictEqual(inWords(yield* Fiber.await(call)), "Disconnected Closed true")
      yield* Deferred.await(closed)
    }))

  it.live("speaks https with who has a certificate that is trusted", () =>
    Effect.gen(function*() {
      const router = yield* Router.make()
      yield* router.addAll(Specimen.handlers)
      const { address } = yield* NodeHttp.serveRouter({ port: 0, tls: certificates.server, path: "/rpc" }).pipe(
        Effect.provideService(Router.Router, router)
      )
      assert.match(address, /^https:\/\/127\.0\.0\.1:\d+\/rpc$/)
      const trusting = yield* NodeHttp.makeCaller({ url: address, tls: certificates.trusting })
      assert.strictEqual(yield* trusting.request("sum", [1, 2]), 3)
      const stranger = yield* NodeHttp.makeCaller({ url: address })
      assert.strictEqual(inWords(yield* Effect.exit(stranger.request("sum", [1, 2]))), "Disconnected Open false")
    }))
})
