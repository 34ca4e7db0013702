/** An endpoint inside a server of `node:http` that belongs to the program, and what its code may have done before. */
import { assert, describe, it } from "@effect/vitest"
import * as HttpEndpoint from "@parley/http/HttpEndpoint"
import * as NodeHttp from "@parley/node/NodeHttp"
import { Router } from "@parley/peer"
import * as Handshake from "@parley/transport/Handshake"
import { Cause, Context, Deferred, Effect, Exit, Fiber, Logger, References, Scope } from "effect"
import type * as http from "node:http"
import { text } from "node:stream/consumers"
import { as, byToken, User } from "../support/handshakes.ts"
import { serveListener } from "../support/httpHosts.ts"
import * as posting from "../support/posting.ts"
import * as raw from "../support/raw.ts"

type Handle = (request: http.IncomingMessage, response: http.ServerResponse) => unknown

/** What a server of the program does with a request before, or in place of, giving it to the listener. */
type Host = (listener: NodeHttp.RequestListener) => Handle

const whole: Host = (listener) => listener

const serving = Effect.fnUntraced(function*(
  host: Host,
  options: HttpEndpoint.JsonRpcEndpointOptions = {},
  serverOptions?: http.ServerOptions
) {
  const router = yield* Router.make()
  yield* router.add("echo", ({ params }) => Effect.succeed(params ?? null))
  yield* router.add(
    "who",
    () => Effect.map(Handshake.Current, (current) => current === undefined ? null : Handshake.nameOf(current) ?? null)
  )
  const scope = yield* Scope.fork(yield* Effect.scope)
  const endpoint = HttpEndpoint.jsonRpcWith(router.answer, options)
  const listener = yield* Scope.provide(NodeHttp.makeRequestListener(endpoint), scope)
  const url = yield* serveListener((request, response) => void host(listener)(request, response), serverOptions)
  return { url, router, listener, close: Scope.close(scope, Exit.void) }
})

/** The lines of the log, with what has failed. */
const logging = () => {
  const lines: Array<string> = []
  const logger = Logger.make(({ cause, message }) => {
    lines.push(`${String(message)} ${Cause.pretty(cause)}`)
  })
  return { lines, watch: Effect.provideService(References.CurrentLoggers, new Set([logger])) }
}

const echo = posting.request("echo", ["é"])
const echoed = `{"jsonrpc":"2.0","id":1,"result":["é"]}`

/** Reads a body as parsers do, and leaves something of it at the request. */
const parser = (leave: (text: string) => object): Host => (listener) => async (request, response) => {
  const read = await text(request)
  listener(Object.assign(request, leave(read)), response)
}

it.live("a client that never reads its answer is given up, though the host listens to timeouts itself", () =>
  Effect.gen(function*() {
    const host: Host = (listener) => (request, response) => {
      response.on("timeout", () => {})
      listener(request, response)
    }
    const { router, url } = yield* serving(host, { limits: { writeStall: 200, connections: 1 } })
    yield* router.add("large", () => Effect.succeed("x".repeat(16_000_000)))
    const reading = yield* posting.begin(url)
    reading.request.end(posting.request("large"))
    const response = yield* reading.head
    response.pause()
    // Its place is free when it is given up.
    const statuses: Array<number> = []
    while (!statuses.includes(200)) statuses.push((yield* posting.post(url, { body: echo })).status)
    assert.strictEqual(statuses[0], 503)
  }))

describe("a body that the host has read", () => {
  it.live.each<[string, (text: string) => object]>([
    ["a value", (text) => ({ body: JSON.parse(text) })],
    ["a text", (text) => ({ body: text })],
    ["bytes", (text) => ({ body: Buffer.from(text) })],
    ["a buffer", (text) => ({ body: new TextEncoder().encode(text).buffer })],
    ["bytes beside something else", (text) => ({ rawBody: Buffer.from(text), body: { jsonrpc: "1.0" } })]
  ])("is taken as %s", ([_, leave]) =>
    Effect.gen(function*() {
      const { url } = yield* serving(parser(leave))
      const { status, text } = yield* posting.post(url, { body: echo })
      assert.deepStrictEqual([status, text], [200, echoed])
    }))

  it.live("keeps its digits in `rawBody`, and loses them as a value", () =>
    Effect.gen(function*() {
      const sent = `{"jsonrpc":"2.0","id":9007199254740993,"method":"echo"}`
      const answers = []
      for (const leave of [(rawBody: string) => ({ rawBody }), (text: string) => ({ body: JSON.parse(text) })]) {
        const { url } = yield* serving(parser(leave))
        answers.push((yield* posting.post(url, { body: sent })).text)
      }
      assert.deepStrictEqual(answers, [
        `{"jsonrpc":"2.0","id":9007199254740993,"result":null}`,
        `{"jsonrpc":"2.0","id":9007199254740992,"result":null}`
      ])
    }))

  it.live("may be `null`, which is no request", () =>
    Effect.gen(function*() {
      const { url } = yield* serving(parser((text) => ({ body: JSON.parse(text) })))
      const { status, text } = yield* posting.post(url, { body: "null" })
      assert.strictEqual(status, 200)
      assert.include(text, "-32600")
    }))

  it.live("has the same bound, whatever length it does not tell", () =>
    Effect.gen(function*() {
      const { url } = yield* serving(parser((text) => ({ body: JSON.parse(text) })), { limits: { frame: 1_024 } })
      const headers = { "content-type": "application/json", "transfer-encoding": "chunked" }
      const { status } = yield* posting.post(url, { headers, body: posting.request("echo", ["x".repeat(2_000)]) })
      assert.strictEqual(status, 413)
    }))

  it.live("is asked for in the log where the host has left nothing of it", () =>
    Effect.gen(function*() {
      const { lines, watch } = logging()
      const { url } = yield* watch(serving(parser(() => ({}))))
      assert.strictEqual((yield* posting.post(url, { body: echo })).status, 500)
      assert.match(lines.join(), /^The answer to POST \/ failed .*give it as `body` to `handle`/s)
    }))

  it.live("is none where a request has none, whatever a parser leaves", () =>
    Effect.gen(function*() {
      const { url } = yield* serving(parser(() => ({ body: {} })))
      const preflight = yield* posting.post(url, { method: "GET" })
      assert.strictEqual(preflight.status, 405)
      const empty = yield* posting.post(url, { body: "" })
      assert.strictEqual(empty.status, 200)
      assert.include(empty.text, "-32600")
    }))

  it.live("is what `handle` gives, also where nobody has read the request", () =>
    Effect.gen(function*() {
      const { url } = yield* serving((listener) => (request, response) =>
        listener.handle(request, response, { body: JSON.parse(echo) })
      )
      assert.strictEqual((yield* posting.post(url, { body: "?" })).text, echoed)
    }))
})

describe("a request that the host has touched", () => {
  it.live("is read where it was paused, and where its pieces are texts", () =>
    Effect.gen(function*() {
      const { url } = yield* serving((listener) => (request, response) => {
        request.setEncoding("utf8").pause()
        setImmediate(() => listener(request, response))
      })
      assert.strictEqual((yield* posting.post(url, { body: echo })).text, echoed)
    }))

  it.live("has its whole path where the host routes by a part of it", () =>
    Effect.gen(function*() {
      const { wellKnown: _, ...other } = HttpEndpoint.jsonRpcWith(() => Effect.die("unused"))
      const metadata: HttpEndpoint.HttpEndpoint = {
        ...other,
        answer: ({ url }) => Effect.succeed({ status: 200, headers: {}, body: url })
      }
      const { listener, url } = yield* serving(
        (listener) => (request, response) =>
          listener(Object.assign(request, { originalUrl: request.url, url: "/" }), response),
        { wellKnown: new Map([["/.well-known/it", metadata]]) }
      )
      assert.deepStrictEqual(listener.wellKnown, ["/.well-known/it"])
      assert.strictEqual(
        (yield* posting.post(url, { path: "/.well-known/it?a", body: "{}" })).text,
        "/.well-known/it?a"
      )
      // Hosts route these to the metadata, too, and their rules for the endpoint do not hold there.
      for (const path of ["/.WELL-KNOWN/it", "/.well-known/it/"]) {
        assert.strictEqual((yield* posting.post(url, { path, body: "{}" })).text, path)
      }
      assert.strictEqual((yield* posting.post(url, { path: "/rpc", body: echo })).text, echoed)
    }))

  it.live("may not contradict itself in two headers, however the server of the host was made", () =>
    Effect.gen(function*() {
      for (const joinDuplicateHeaders of [true, false]) {
        const { url } = yield* serving(whole, {}, { joinDuplicateHeaders })
        // Node.js writes each of them, and its types know but one.
        const headers = { "content-type": ["application/json", "text/plain"] as unknown as string }
        assert.strictEqual((yield* posting.post(url, { headers, body: echo })).status, 415)
      }
    }))

  it.live("is not answered where its client has left meanwhile, or the host has answered", () =>
    Effect.gen(function*() {
      const left = yield* Deferred.make<void>()
      const asked: Array<string> = []
      const { url } = yield* serving(
        (listener) => async (request, response) => {
          if (request.url === "/answered") response.end("mine")
          else await new Promise((resolve) => response.on("close", resolve))
          listener(request, response)
          Deferred.doneUnsafe(left, Effect.void)
        },
        { authorize: ({ url }) => Effect.sync(() => (asked.push(url), Context.empty())) }
      )
      assert.strictEqual((yield* posting.post(url, { path: "/answered", body: echo })).text, "mine")
      yield* Effect.scoped(Effect.gen(function*() {
        const { request } = yield* posting.begin(url)
        request.on("error", () => {})
        request.flushHeaders()
        yield* Effect.callback<void>((resume) =>
          void request.on("socket", (socket) => socket.on("connect", () => resume(Effect.void)))
        )
      }))
      yield* Deferred.await(left)
      assert.deepStrictEqual(asked, [])
    }))

  it.live("may not have an answer that has begun", () =>
    Effect.gen(function*() {
      const { url } = yield* serving((listener) => (request, response) => {
        response.write("begun: ")
        try {
          listener(request, response)
        } catch (error) {
          response.end(String(error))
        }
      })
      const { text } = yield* posting.post(url, { body: echo })
      assert.strictEqual(
        text,
        "begun: Error: the answer to POST / had begun before the endpoint got the request: let one handler answer it"
      )
    }))

  // A whole read of Node.js, so that the end of the other side comes in the same turn.
  it.live("is answered to a client that ends its side of the connection behind it", () =>
    Effect.gen(function*() {
      const { url } = yield* serving(whole)
      const { end, received, write } = yield* raw.connect(`tcp://127.0.0.1:${new URL(url).port}`)
      const withBody = (body: string) =>
        `POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
      const of = (length: number) => withBody(posting.request("echo", ["x".repeat(length)]))
      yield* write(of(65_536 - (of(10_000).length - 10_000)))
      yield* end
      assert.match(new TextDecoder().decode(yield* received), /^HTTP\/1\.1 200 .*"result":\["x+"\]}$/s)
    }))
})

describe("the principal that the host has found", () => {
  const principal = Context.make(User, { id: "ada" }).pipe(Context.add(Handshake.Name, "ada"))

  it.live("counts in place of that of `authorize`, which is asked without it", () =>
    Effect.gen(function*() {
      const { url } = yield* serving(
        (listener) => (request, response) =>
          listener.handle(request, response, { principal: request.url === "/known" ? principal : undefined }),
        { authorize: byToken }
      )
      const body = posting.request("who")
      const headers = { "content-type": "application/json", ...as("bob") }
      assert.include((yield* posting.post(url, { path: "/known", headers, body })).text, `"ada"`)
      assert.include((yield* posting.post(url, { headers, body })).text, `"bob"`)
      assert.strictEqual((yield* posting.post(url, { body })).status, 401)
    }))

  it.live("is no `next` of a framework, and no user as the framework has it", () =>
    Effect.gen(function*() {
      const { lines, watch } = logging()
      const { url } = yield* watch(serving((listener) => (request, response) => {
        // Frameworks have it as `any`, which no type forbids.
        const user = { id: "ada" } as unknown as Context.Context<never>
        if (request.url === "/user") listener.handle(request, response, { principal: user })
        else Reflect.apply(listener, undefined, [request, response, { principal }])
      }))
      const body = posting.request("who")
      assert.include((yield* posting.post(url, { body })).text, `"result":null`)
      assert.strictEqual((yield* posting.post(url, { path: "/user", body })).status, 500)
      assert.include(lines.join(), "is no Context")
    }))

  it.live("does not show handlers the headers that it names as credentials", () =>
    Effect.gen(function*() {
      const secret = Context.add(principal, Handshake.Credentials, ["authorization"])
      const { router, url } = yield* serving((listener) => (request, response) =>
        listener.handle(request, response, { principal: secret })
      )
      yield* router.add("header", () =>
        Effect.map(Handshake.Current, (current) => current?.head.header("authorization") ?? "hidden"))
      const headers = { "content-type": "application/json", ...as("ada") }
      assert.include((yield* posting.post(url, { headers, body: posting.request("header") })).text, "hidden")
    }))
})

describe("a listener whose Scope closes", () => {
  it.live("waits for what runs, refuses what comes, and says so to the host", () =>
    Effect.gen(function*() {
      const { close, listener, router, url } = yield* serving(whole)
      const begun = yield* Deferred.make<void>()
      const finish = yield* Deferred.make<void>()
      yield* router.add("wait", () =>
        Deferred.succeed(begun, undefined).pipe(Effect.andThen(Deferred.await(finish)), Effect.as("done")))
      const call = yield* Effect.forkChild(posting.post(url, { body: posting.request("wait") }))
      yield* Deferred.await(begun)
      assert.isFalse(listener.isClosing())
      const closing = yield* Effect.forkChild(close, { startImmediately: true })
      assert.isTrue(listener.isClosing())
      assert.strictEqual((yield* posting.post(url, { body: echo })).status, 503)
      yield* Deferred.succeed(finish, undefined)
      assert.include((yield* Fiber.join(call)).text, `"done"`)
      yield* Fiber.join(closing)
      const late = yield* posting.post(url, { body: echo })
      assert.strictEqual(late.status, 503)
      assert.strictEqual(late.headers.connection, "close")
    }))
})
