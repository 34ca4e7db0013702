import { assert, describe, it } from "@effect/vitest"
import * as HttpEndpoint from "@parley/http/HttpEndpoint"
import { EventStream, RequestRules } from "@parley/http/shared"
import * as NodeHttp from "@parley/node/NodeHttp"
import { Router } from "@parley/peer"
import * as Handshake from "@parley/transport/Handshake"
import { Deferred, Effect, Exit, Fiber, References, Scope } from "effect"
import { type Host, hosts } from "./support/httpHosts.ts"
import * as posting from "./support/posting.ts"

type Answer = HttpEndpoint.HttpEndpoint["answer"]

const methods = ["GET", "POST", "DELETE"]

const endpointOf = (
  answer: Answer,
  limits?: RequestRules.RequestRulesOptions["limits"]
): HttpEndpoint.HttpEndpoint => ({
  ...RequestRules.make({ methods, limits }),
  answer
})

const quietly = Effect.provideService(References.MinimumLogLevel, "None")

const serving = (host: Host, answer: Answer, limits?: RequestRules.RequestRulesOptions["limits"]) =>
  host.serveEndpoint(endpointOf(answer, limits)).pipe(quietly)

const plain = { "content-type": "text/plain" }
const replyWith = (body: string | undefined, status = 200): HttpEndpoint.Reply => ({ status, headers: plain, body })
const json = "application/json"

/** A stream that stays, and tells how it ended. */
const staying = Effect.gen(function*() {
  const interrupted = yield* Deferred.make<void>()
  const answer: Answer = (head, _, responder) => {
    if (head.method !== "GET") return Effect.succeed(replyWith("here"))
    const refusal = responder.toStream()
    if (refusal !== undefined) return Effect.succeed(refusal)
    return responder.start(200, EventStream.headers).pipe(
      Effect.andThen(Effect.never),
      Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
    )
  }
  return { answer, interrupted: Deferred.await(interrupted) }
})

describe.each(hosts)("an endpoint on $name", (host) => {
  it.live("has others at paths of their own, which the host serves, too", () =>
    Effect.gen(function*() {
      const named = (name: string) => endpointOf(({ url }) => Effect.succeed(replyWith(`${name} at ${url}`)))
      const wellKnown = new Map([["/.well-known/a", named("a")], ["/.well-known/b", named("b")]])
      const url = yield* host.serveEndpoint({ ...named("it"), wellKnown }).pipe(quietly)
      const paths = ["/", "/.well-known/a", "/.well-known/b?c"]
      const answers = yield* Effect.forEach(paths, (path) =>
        posting.post(url, { path, headers: { "content-type": json }, body: "{}" }))
      assert.deepStrictEqual(
        answers.map(({ text }) =>
          text
        ),
        [
          "it at /",
          "a at /.well-known/a",
          "b at /.well-known/b?c"
        ]
      )
    }))

  it.live("passes the bytes of a stream as they are, and each cookie in a header of its own", () =>
    Effect.gen(function*() {
      const bytes = Uint8Array.from({ length: 256 }, (_, at) => at)
      const url = yield* serving(
        host,
        (_head, _text, responder) =>
          responder.start(207, { "content-type": "application/octet-stream" }, ["a=1; Path=/", "b=2; HttpOnly"]).pipe(
            Effect.andThen(responder.write(bytes)),
            Effect.andThen(responder.write("text")),
            Effect.as(replyWith(undefined))
          )
      )
      const [status, cookies, body] = yield* Effect.promise(async () => {
        const response = await fetch(url)
        return [response.status, response.headers.getSetCookie(), new Uint8Array(await response.arrayBuffer())] as const
      })
      assert.strictEqual(status, 207)
      assert.deepStrictEqual(cookies, ["a=1; Path=/", "b=2; HttpOnly"])
      assert.deepStrictEqual(body, Uint8Array.from([...bytes, ...new TextEncoder().encode("text")]))
    }))

  it.live("sees the head and the text of a request, and its reply goes back as it is", () =>
    Effect.gen(function*() {
      const url = yield* serving(host, (head, text) =>
        Effect.succeed({
          status: 207,
          headers: { "content-type": "text/x-seen", "mcp-session-id": head.header("x-mine") ?? "none" },
          body: `${head.method} ${head.url} ${head.header("absent")} ${text} ${
            head.names?.().filter((name) => name.startsWith("x-")).join()
          }`
        }))
      const headers = { "content-type": json, "X-Mine": "yes" }
      const answer = yield* posting.post(url, { path: "/?a=b", headers, body: "{\"€\":1}" })
      assert.strictEqual(answer.status, 207)
      assert.strictEqual(answer.headers["content-type"], "text/x-seen")
      assert.strictEqual(answer.headers["mcp-session-id"], "yes")
      assert.strictEqual(answer.text, "POST /?a=b undefined {\"€\":1} x-mine")
      assert.strictEqual(answer.headers["content-length"], String(Buffer.byteLength(answer.text)))
    }))

  it.live("takes the methods it names, of which GET and DELETE need no type", () =>
    Effect.gen(function*() {
      const url = yield* serving(host, (head) => Effect.succeed(replyWith(head.method)))
      for (const method of ["GET", "DELETE"]) {
        const { status, text } = yield* posting.post(url, { method, headers: {} })
        assert.deepStrictEqual([status, text], [200, method])
      }
      const refused = yield* posting.post(url, { method: "PUT", body: "{}" })
      assert.strictEqual(refused.status, 405)
      assert.strictEqual(refused.headers.allow, "GET, POST, DELETE")
      assert.strictEqual((yield* posting.post(url, { headers: plain, body: "{}" })).status, 415)
      const origin = "http://evil.example"
      assert.strictEqual((yield* posting.post(url, { method: "GET", headers: { origin } })).status, 403)
    }))

  it.live("a reply without a body, and a refusal, are whole", () =>
    Effect.gen(function*() {
      const url = yield* serving(host, (head) =>
        Effect.succeed(
          head.method === "DELETE"
            ? new RequestRules.Refusal(404, "There is no such session.", { "x-why": "gone" })
            : { status: head.method === "GET" ? 204 : 202, headers: { "x-some": "1" }, body: undefined }
        ))
      const accepted = yield* posting.post(url, { body: "{}" })
      assert.deepStrictEqual([accepted.status, accepted.text, accepted.headers["x-some"]], [202, "", "1"])
      assert.notProperty(accepted.headers, "transfer-encoding")
      assert.strictEqual((yield* posting.post(url, { method: "GET" })).status, 204)
      const refused = yield* posting.post(url, { method: "DELETE" })
      assert.deepStrictEqual([refused.status, refused.text], [404, "There is no such session."])
      assert.strictEqual(refused.headers["x-why"], "gone")
      assert.match(String(refused.headers["content-type"]), /^text\/plain/)
    }))

  it.live("a stream may start late, reaches the client before it ends, and the body of the reply is its last piece", () =>
    Effect.gen(function*() {
      const go = yield* Deferred.make<void>()
      const url = yield* serving(host, (_, __, responder) =>
        Effect.gen(function*() {
          yield* Effect.yieldNow
          yield* responder.start(201, { ...EventStream.headers, "x-late": "1" })
          yield* Deferred.await(go)
          yield* responder.write(EventStream.keepAlive)
          yield* responder.write(EventStream.encodeFields({ id: "7", data: "one" }))
          return replyWith("data: last\n\n", 500)
        }))
      const { answer, head, request } = yield* posting.begin(url)
      request.end("{}")
      // It is there though nothing is written yet.
      const { headers, statusCode } = yield* head
      assert.strictEqual(statusCode, 201)
      assert.strictEqual(headers["content-type"], EventStream.contentType)
      assert.strictEqual(headers["x-late"], "1")
      yield* Deferred.succeed(go, undefined)
      assert.strictEqual((yield* answer).text, ": keep-alive\n\nid: 7\ndata: one\n\ndata: last\n\n")
    }))

  it.live("a refusal or a defect behind the start of a stream breaks it off, and before it is an answer", () =>
    Effect.gen(function*() {
      const ends: Record<string, Effect.Effect<RequestRules.Refusal>> = {
        GET: Effect.succeed(new RequestRules.Refusal(404, "No.")),
        POST: Effect.die(new Error("broken"))
      }
      const url = yield* serving(host, (head, _, responder) =>
        Effect.andThen(
          head.header("x-late") === undefined
            ? Effect.void
            : Effect.andThen(responder.start(200, plain), responder.write("begun")),
          ends[head.method] ?? Effect.interrupt
        ))
      const statuses = []
      for (const method of methods) {
        const headers = { "content-type": json, "x-late": "1" }
        const broken = yield* posting.begin(url, { method, headers })
        broken.request.end(method === "POST" ? "{}" : undefined)
        assert.instanceOf(yield* Effect.flip(broken.answer), Error)
        const first = yield* posting.begin(url, { method, headers: { "content-type": json } })
        first.request.end(method === "POST" ? "{}" : undefined)
        statuses.push((yield* first.head).statusCode)
      }
      assert.deepStrictEqual(statuses.slice(0, 2), [404, 500])
      assert.isAtLeast(statuses[2] ?? 0, 499)
    }))

  it.live("promise 8: an interrupted or timed-out call leaves nothing behind: who leaves a stream interrupts its answer", () =>
    Effect.gen(function*() {
      const { answer, interrupted } = yield* staying
      const url = yield* serving(host, answer)
      const { head, request } = yield* posting.begin(url, { method: "GET" })
      request.end()
      yield* head
      request.destroy()
      yield* interrupted
    }))

  it.live("promise 17: streams that stay take no place from requests, and are as many", () =>
    Effect.gen(function*() {
      const { answer, interrupted } = yield* staying
      const url = yield* serving(host, answer, { connections: 1 })
      const { head, request } = yield* posting.begin(url, { method: "GET" })
      request.end()
      yield* head
      assert.strictEqual((yield* posting.post(url, { body: "{}" })).text, "here")
      assert.strictEqual((yield* posting.post(url, { method: "GET" })).status, 503)
      request.destroy()
      yield* interrupted
      const next = yield* posting.begin(url, { method: "GET" })
      next.request.end()
      assert.strictEqual((yield* next.head).statusCode, 200)
    }))

  it.live("promise 18: callers suspend on a full outbox: what writes a stream waits for a client that does not read", () =>
    Effect.gen(function*() {
      const seen = { written: 0 }
      const url = yield* serving(
        host,
        (head, _, responder) =>
          head.method === "POST" ? Effect.as(Effect.sleep(50), replyWith("later")) : responder.start(200, plain).pipe(
            Effect.andThen(
              responder.write("x".repeat(100_000)).pipe(
                Effect.tap(() => Effect.sync(() => void seen.written++)),
                Effect.repeat({ times: 300 })
              )
            ),
            Effect.as(replyWith("."))
          )
      )
      const { answer, head, request } = yield* posting.begin(url, { method: "GET" })
      request.end()
      const response = yield* head
      response.pause()
      for (let last = -1; last !== seen.written || last === 0;) {
        last = seen.written
        yield* posting.post(url, { body: "{}" })
      }
      assert.isBelow(seen.written, 250)
      response.resume()
      assert.strictEqual((yield* answer).text.length, 301 * 100_000 + 1)
    }))

  it.live("many may write at once to a client that does not read, and the process hears of no leak", () =>
    Effect.gen(function*() {
      const warned: Array<string> = []
      const onWarning = ({ name }: Error) => void warned.push(name)
      process.on("warning", onWarning)
      yield* Effect.addFinalizer(() => Effect.sync(() => process.off("warning", onWarning)))
      const url = yield* serving(host, (_, __, responder) => {
        const writes = Array.from({ length: 100 }, () => responder.write("x".repeat(100_000)))
        return responder.start(200, plain).pipe(
          Effect.andThen(Effect.all(writes, { concurrency: "unbounded" })),
          Effect.as(replyWith("."))
        )
      })
      const { answer, head, request } = yield* posting.begin(url, { method: "GET" })
      request.end()
      const response = yield* head
      response.pause()
      yield* Effect.promise(() => new Promise((turned) => setImmediate(turned)))
      response.resume()
      assert.strictEqual((yield* answer).text.length, 100 * 100_000 + 1)
      assert.notInclude(warned, "MaxListenersExceededWarning")
    }))

  it.live("who writes from elsewhere goes on when the client has gone", () =>
    Effect.gen(function*() {
      const lent = yield* Deferred.make<HttpEndpoint.Responder>()
      const answer: Answer = (_, __, responder) =>
        responder.start(200, plain).pipe(
          Effect.andThen(Deferred.succeed(lent, responder)),
          Effect.andThen(Effect.never)
        )
      const url = yield* serving(host, answer)
      const { head, request } = yield* posting.begin(url, { method: "GET" })
      request.end()
      const response = yield* head
      response.pause()
      const responder = yield* Deferred.await(lent)
      const writing = yield* Effect.forkChild(
        Effect.repeat(responder.write("x".repeat(1_000_000)), { times: 50 }),
        { startImmediately: true }
      )
      request.destroy()
      yield* Fiber.join(writing)
    }))

  it.live("handlers of a router see the request that they answer", () =>
    Effect.gen(function*() {
      const router = yield* Router.make()
      yield* router.add("who", () => Effect.map(Handshake.Current, (current) => current?.head.header("x-mine") ?? null))
      const url = yield* host.serve(router)
      for (const accept of [json, EventStream.contentType]) {
        const headers = { "content-type": json, accept, "x-mine": "me" }
        const { text } = yield* posting.post(url, { body: posting.request("who"), headers })
        assert.strictEqual(text, `{"jsonrpc":"2.0","id":1,"result":"me"}`)
      }
      const outside = yield* router.answer(posting.request("who"))
      assert.include(JSON.stringify(outside), "null")
    }))
})

describe("NodeHttp.serve", () => {
  it.live("promise 19: end of input drains, and streams that stay end in order and at once", () =>
    Effect.gen(function*() {
      const stream = yield* staying
      const go = yield* Deferred.make<void>()
      const begun = yield* Deferred.make<void>()
      const answer: Answer = (head, text, responder) =>
        head.method === "POST"
          ? Deferred.succeed(begun, undefined).pipe(Effect.andThen(Deferred.await(go)), Effect.as(replyWith("went")))
          : stream.answer(head, text, responder)
      const scope = yield* Scope.make()
      const endpoint = endpointOf(answer)
      const server = yield* Scope.provide(NodeHttp.serve(endpoint, { port: 0, path: "/mcp" }), scope)
      assert.match(server.address, /^http:\/\/127\.0\.0\.1:\d+\/mcp$/)
      const get = yield* posting.begin(server.address, { method: "GET" })
      get.request.end()
      yield* get.head
      const post = yield* posting.begin(server.address)
      post.request.end("{}")
      yield* Deferred.await(begun)
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      assert.strictEqual((yield* get.answer).text, "")
      yield* stream.interrupted
      assert.isUndefined(closing.pollUnsafe())
      yield* Deferred.succeed(go, undefined)
      assert.strictEqual((yield* post.answer).text, "went")
      yield* Fiber.join(closing)
    }))
})

describe("an endpoint on NodeHttp that has something to say at its end", () => {
  it.live("says what it has said in the turn in which the server closes", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const closed = yield* Deferred.make<void>()
      const close = Effect.andThen(Scope.close(scope, Exit.void), Deferred.succeed(closed, undefined))
      const endpoint = endpointOf((_, __, responder) => {
        const refusal = responder.toStream()
        if (refusal !== undefined) return Effect.succeed(refusal)
        // It closes after the answer, and before the turn ends.
        return responder.start(200, EventStream.headers).pipe(
          Effect.andThen(Effect.sync(() => queueMicrotask(() => Effect.runFork(close)))),
          Effect.as(replyWith(EventStream.encode("last")))
        )
      })
      const { address } = yield* Scope.provide(NodeHttp.serve(endpoint, { port: 0 }), scope)
      const response = yield* Effect.promise(() => fetch(address))
      assert.strictEqual(yield* Effect.promise(() => response.text()), "data: last\n\n")
      yield* Deferred.await(closed)
    }))

  it.live("gets to say it on what stays", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const ending = yield* Deferred.make<void>()
      const answered = yield* Deferred.make<void>()
      const endpoint: HttpEndpoint.HttpEndpoint = {
        ...endpointOf(({ header }, _, responder) => {
          const refusal = responder.toStream()
          return refusal !== undefined ? Effect.succeed(refusal) : responder.start(200, EventStream.headers).pipe(
            Effect.andThen(Deferred.await(ending)),
            Effect.as(replyWith(EventStream.encode(`goodbye, ${header("x-mine")}`))),
            Effect.ensuring(Deferred.succeed(answered, undefined))
          )
        }),
        closing: Effect.andThen(Deferred.succeed(ending, undefined), Deferred.await(answered))
      }
      const { address } = yield* Scope.provide(NodeHttp.serve(endpoint, { port: 0 }), scope)
      const response = yield* Effect.promise(() => fetch(address, { headers: { "x-mine": "you" } }))
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual(yield* Effect.promise(() => response.text()), "data: goodbye, you\n\n")
    }))

  it.live("has its drain for what others have asked it for", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const [begun, done] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const endpoint: HttpEndpoint.HttpEndpoint = {
        ...endpointOf(() => Effect.succeed(replyWith("unused"))),
        drained: Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(done))
      }
      yield* Scope.provide(NodeHttp.serve(endpoint, { port: 0 }), scope)
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      yield* Deferred.await(begun)
      assert.isUndefined(closing.pollUnsafe())
      yield* Deferred.succeed(done, undefined)
      yield* Fiber.join(closing)
    }))
})
