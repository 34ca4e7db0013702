import { assert, describe, it } from "@effect/vitest"
import * as HttpEndpoint from "@parley/http/HttpEndpoint"
import * as NodeHttp from "@parley/node/NodeHttp"
import { Caller, type Handler, Router } from "@parley/peer"
import { Deferred, Duration, Effect, Exit, Fiber, Layer, References, Scope } from "effect"
import * as net from "node:net"
import * as posting from "./support/posting.ts"
import { connect } from "./support/raw.ts"

const serving = (handlers: Router.Handlers, options: Partial<NodeHttp.HttpServerOptions> = {}) =>
  Effect.gen(function*() {
    // Some answers are more than the system takes from us.
    const router = yield* Router.make({ limits: { frame: 32 * 1024 * 1024 } })
    yield* router.addAll(handlers)
    const server = NodeHttp.serveRouter({ port: 0, ...options })
    return (yield* Effect.provideService(server, Router.Router, router)).address
  }).pipe(Effect.provideService(References.MinimumLogLevel, "None"))

/** A handler that waits, and tells when it has begun and how it ended. */
const waiting = Effect.gen(function*() {
  const [begun, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const ended = yield* Deferred.make<boolean>()
  const wait: Handler.Handler = () =>
    Deferred.succeed(begun, undefined).pipe(
      Effect.andThen(Deferred.await(go)),
      Effect.as("went"),
      Effect.onExit((exit) => Deferred.succeed(ended, Exit.isSuccess(exit)))
    )
  return { wait, begun: Deferred.await(begun), go: Deferred.succeed(go, undefined), ended: Deferred.await(ended) }
})

/** What a connection gets for these bytes, until it closes. */
const received = (url: string, ...texts: ReadonlyArray<string>) =>
  Effect.callback<string>((resume) => {
    const { hostname, port } = new URL(url)
    const socket = net.connect(Number(port), hostname)
    let all = ""
    for (const text of texts) socket.write(text)
    socket.on("data", (chunk) => all += chunk)
    socket.on("error", () => {})
    socket.on("close", () => resume(Effect.succeed(all)))
    return Effect.sync(() => socket.destroy())
  })

const head = (length: number, others = "") =>
  `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n${others}\r\n`

const body = posting.request("wait")

/** The response to a call that runs when the time to drain is over. */
const shutDown = `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"Shutting down","data":{"started":true}}}`

describe("NodeHttp.serve", () => {
  it.live("serves the paths below its own where it is told to, and no others", () =>
    Effect.gen(function*() {
      const endpoint: HttpEndpoint.HttpEndpoint = {
        ...HttpEndpoint.gate({ methods: ["GET"] }),
        answer: ({ url }) => Effect.succeed({ status: 200, headers: {}, body: url })
      }
      const paths = ["/a", "/a/", "/a/b?c", "/ab", "/"]
      const statuses = (isPrefix: boolean) =>
        Effect.gen(function*() {
          const { port } = yield* NodeHttp.serve(endpoint, { port: 0, path: "/a", isPrefix })
          return yield* Effect.forEach(
            paths,
            (path) => Effect.promise(async () => (await fetch(`http://127.0.0.1:${port}${path}`)).status)
          )
        })
      assert.deepStrictEqual(yield* statuses(true), [200, 200, 200, 404, 404])
      assert.deepStrictEqual(yield* statuses(false), [200, 404, 404, 404, 404])
    }))

  it.live("promise 19: end of input drains: what runs when the Scope closes is answered, and nothing new is taken", () =>
    Effect.gen(function*() {
      const { begun, go, wait } = yield* waiting
      const scope = yield* Scope.make()
      const url = yield* Scope.provide(serving({ wait }), scope)
      const running = yield* posting.begin(url)
      running.request.end(body)
      yield* begun
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      yield* Effect.flip(posting.post(url, { body }))
      assert.isUndefined(closing.pollUnsafe())
      yield* go
      const answer = yield* running.answer
      assert.strictEqual(answer.text, `{"jsonrpc":"2.0","id":1,"result":"went"}`)
      assert.strictEqual(answer.headers.connection, "close")
      yield* Fiber.join(closing)
    }))

  it.live("promise 19: end of input drains, up to a deadline", () =>
    Effect.gen(function*() {
      const { begun, ended, wait } = yield* waiting
      const scope = yield* Scope.make()
      const url = yield* Scope.provide(serving({ wait }, { limits: { drain: 50 } }), scope)
      const running = yield* posting.begin(url)
      running.request.end(body)
      yield* begun
      const early = yield* posting.begin(url, {
        headers: { "content-type": "application/json", "content-length": "9" }
      })
      early.request.write("{")
      // Both are known when a third one is answered.
      yield* posting.post(url, { body: "" })
      yield* Scope.close(scope, Exit.void)
      assert.isFalse(yield* ended)
      const told = yield* running.answer
      assert.deepStrictEqual([told.status, told.text], [200, shutDown])
      const { headers, status, text } = yield* early.answer
      assert.deepStrictEqual([status, text, headers.connection], [503, "Shutting down.", "close"])
    }))

  it.live("promise 19: end of input drains, and a stream ends with the error of its call at the deadline", () =>
    Effect.gen(function*() {
      const { begun, wait } = yield* waiting
      const stream: Handler.Handler = (call) => Effect.orDie(Effect.andThen(call.peer.notify("n"), wait(call)))
      const scope = yield* Scope.make()
      const url = yield* Scope.provide(serving({ stream }, { limits: { drain: 50 } }), scope)
      const text = posting.request("stream")
      const all = yield* Effect.forkChild(received(url, head(text.length, "Accept: text/event-stream\r\n"), text), {
        startImmediately: true
      })
      yield* begun
      yield* Scope.close(scope, Exit.void)
      const events = (yield* Fiber.join(all)).split(/\r\n(?:\r\n)?/).filter((line) => line.startsWith("data: "))
      assert.deepStrictEqual(events.at(-1), `data: ${shutDown}\n\n`)
      // The last chunk says that nothing is missing.
      assert.match(yield* Fiber.join(all), /\r\n0\r\n\r\n$/)
    }))

  it.live("promise 19: end of input drains, and a handler that does not end by its interruption is left", () =>
    Effect.gen(function*() {
      const begun = yield* Deferred.make<void>()
      const go = yield* Deferred.make<void>()
      const stay = Effect.uninterruptible(Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(go)))
      const stream: Handler.Handler = (call) => Effect.orDie(Effect.andThen(call.peer.notify("n"), stay))
      const scope = yield* Scope.make()
      const url = yield* Scope.provide(serving({ stream, wait: () => stay }, { limits: { drain: 50 } }), scope)
      const text = posting.request("stream")
      const all = yield* Effect.forkChild(received(url, head(text.length, "Accept: text/event-stream\r\n"), text), {
        startImmediately: true
      })
      const whole = yield* posting.begin(url)
      whole.request.end(body)
      yield* Deferred.await(begun)
      // The other one is known, too, when a third one is answered.
      yield* posting.post(url, { body: "" })
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      // The chunk of the end is missing.
      assert.notMatch(yield* Fiber.join(all), /\r\n0\r\n\r\n$/)
      const { status, text: told } = yield* whole.answer
      assert.deepStrictEqual([status, told], [503, "Shutting down."])
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(closing)
    }))

  it.live("a connection that waits for its next request does not hold up the end", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const url = yield* Scope.provide(serving({ echo: () => Effect.void }), scope)
      const text = posting.request("echo")
      const all = yield* Effect.forkChild(received(url, head(text.length), text), { startImmediately: true })
      yield* posting.post(url, { body: text })
      yield* Scope.close(scope, Exit.void)
      assert.match(yield* Fiber.join(all), /^HTTP\/1\.1 200 OK\r\n/)
    }))

  // Node.js keeps an idle connection for 5 seconds, and waits 10 for a head.
  const soon = (took: Duration.Duration) => assert.isBelow(Duration.toMillis(took), 4_000)

  it.live("connections on which nothing is asked do not hold up the end", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const url = yield* Scope.provide(serving({ echo: () => Effect.void }), scope)
      const unused = yield* Effect.forkChild(received(url), { startImmediately: true })
      const half = yield* Effect.forkChild(received(url, "POST / HTTP/1.1\r\n"), { startImmediately: true })
      // Both are known when a third one is answered.
      yield* posting.post(url, { body: posting.request("echo") })
      const [took] = yield* Effect.timed(Scope.close(scope, Exit.void))
      soon(took)
      assert.deepStrictEqual([yield* Fiber.join(unused), yield* Fiber.join(half)], ["", ""])
    }))

  it.live("a stream that ends does not hold up the end", () =>
    Effect.gen(function*() {
      const { begun, go, wait } = yield* waiting
      const stream: Handler.Handler = (call) => Effect.orDie(Effect.andThen(call.peer.notify("n"), wait(call)))
      const scope = yield* Scope.make()
      const url = yield* Scope.provide(serving({ stream }), scope)
      const text = posting.request("stream")
      const accept = "Accept: text/event-stream\r\n"
      const all = yield* Effect.forkChild(received(url, head(text.length, accept), text), { startImmediately: true })
      yield* begun
      const closing = yield* Effect.forkChild(Effect.timed(Scope.close(scope, Exit.void)), { startImmediately: true })
      yield* go
      const [took] = yield* Fiber.join(closing)
      soon(took)
      assert.include(yield* Fiber.join(all), `"went"`)
    }))

  it.live("a request keeps its place among those at once until its handler has ended, and so does the end", () =>
    Effect.gen(function*() {
      const begun = yield* Deferred.make<void>()
      const gone = yield* Deferred.make<void>()
      const go = yield* Deferred.make<void>()
      let isEnded = false
      const wait: Handler.Handler = () =>
        Effect.onInterrupt(
          Effect.andThen(Deferred.succeed(begun, undefined), Effect.never),
          () =>
            Deferred.succeed(gone, undefined).pipe(
              Effect.andThen(Deferred.await(go)),
              Effect.andThen(Effect.sync(() => void (isEnded = true)))
            )
        )
      const scope = yield* Scope.make()
      const url = yield* Scope.provide(serving({ wait }, { limits: { connections: 1 } }), scope)
      const { request } = yield* posting.begin(url)
      request.end(body)
      yield* Deferred.await(begun)
      request.destroy()
      yield* Deferred.await(gone)
      assert.strictEqual((yield* posting.post(url, { body })).status, 503)
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(closing)
      assert.isTrue(isEnded)
    }))

  it.live(
    "promise 18: callers suspend on a full outbox, and one that never reads behind another answer is given up",
    () =>
      Effect.gen(function*() {
        const [first, held] = [yield* waiting, yield* waiting]
        const answered = yield* Deferred.make<void>()
        const large: Handler.Handler = () => Effect.as(Deferred.succeed(answered, undefined), "x".repeat(16_000_000))
        const echo: Handler.Handler = () => Effect.succeed("x")
        const handlers = { wait: first.wait, hold: held.wait, large, echo }
        const url = yield* serving(handlers, { limits: { writeStall: 200, connections: 2 } })
        const { hostname, port } = new URL(url)
        const socket = yield* Effect.acquireRelease(
          Effect.sync(() => net.connect(Number(port), hostname).pause()),
          (socket) => Effect.sync(() => socket.destroy())
        )
        const second = posting.request("large")
        socket.write(`${head(body.length)}${body}${head(second.length)}${second}`)
        yield* Effect.andThen(first.begun, Deferred.await(answered))
        yield* first.go
        // The place of the first answer, and then that of the other, when its connection is given up.
        const holding = yield* posting.begin(url)
        holding.request.end(posting.request("hold"))
        yield* held.begun
        const statuses: Array<number> = []
        while (!statuses.includes(200)) {
          statuses.push((yield* posting.post(url, { body: posting.request("echo") })).status)
        }
        assert.strictEqual(statuses[0], 503)
      })
  )

  it.live("what comes behind a request that ends its connection is not run", () =>
    Effect.gen(function*() {
      const ran: Array<unknown> = []
      const url = yield* serving({ run: ({ params }) => Effect.sync(() => void ran.push(params)) })
      const text = posting.request("run", [1])
      const all = yield* received(url, `${head(3).replace("/", "/other")}abc${head(text.length)}${text}`)
      assert.match(all, /^HTTP\/1\.1 404 /)
      assert.deepStrictEqual(ran, [])
    }))

  it.live("a header that comes twice is refused, whichever of the two would pass", () =>
    Effect.gen(function*() {
      const url = yield* serving({ echo: () => Effect.succeed("x") })
      const text = posting.request("echo")
      const post = (header: string) => received(url, head(text.length, `${header}\r\nConnection: close\r\n`), text)
      assert.match(yield* post("X: y"), /^HTTP\/1\.1 200 /)
      assert.match(yield* post("Host: evil.example"), /^HTTP\/1\.1 403 /)
      assert.match(yield* post("Content-Type: text/plain"), /^HTTP\/1\.1 415 /)
    }))

  it.live.each(["gzip, chunked", "gzip", "identity"])(
    "a request with the transfer coding %s is refused, and nothing of its body is run",
    (coding) =>
      Effect.gen(function*() {
        const url = yield* serving({ wait: () => Effect.die(new Error("the method `wait` was called")) })
        const head = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`
        const coded = `${head}Transfer-Encoding: ${coding}\r\n\r\n`
        const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
        assert.match(yield* received(url, coded + chunked), /^HTTP\/1.1 501 [^]+ chunked\.$/)
        assert.match(yield* received(url, coded.replace("/", "/other")), /^HTTP\/1.1 404 /)
      })
  )

  it.live("promise 8: an interrupted or timed-out call leaves nothing behind: a client that ends its side has left", () =>
    Effect.gen(function*() {
      const { begun, ended, wait } = yield* waiting
      const raw = yield* connect((yield* serving({ wait })).replace(/^http/, "tcp").replace(/\/$/, ""))
      yield* raw.write(head(body.length) + body)
      yield* begun
      yield* raw.end
      assert.isFalse(yield* ended)
      assert.strictEqual((yield* raw.received).length, 0)
    }))

  it.live("requests that come at once on one connection are answered in their order", () =>
    Effect.gen(function*() {
      const url = yield* serving({
        slow: () => Effect.as(Effect.sleep(50), "slow"),
        fast: () => Effect.succeed("fast")
      })
      const [slow, fast] = [posting.request("slow", [], 1), posting.request("fast", [], 2)]
      const last = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
      const all = yield* received(url, head(slow.length), slow, head(fast.length), fast, last)
      assert.deepStrictEqual(all.match(/"(slow|fast)"|405/g), [`"slow"`, `"fast"`, "405"])
    }))

  it.live("a head that does not end, or is too large, is refused", () =>
    Effect.gen(function*() {
      const url = yield* serving({}, { limits: { handshake: 100, header: 1_024 } })
      assert.match(yield* received(url, "POST / HTTP/1.1\r\n"), /^HTTP\/1\.1 408 /)
      assert.match(yield* received(url, `POST / HTTP/1.1\r\nX: ${"x".repeat(2_000)}`), /^HTTP\/1\.1 431 /)
    }))

  it.live("promise 18: callers suspend on a full outbox, and a client that never reads is given up", () =>
    Effect.gen(function*() {
      const ended = yield* Deferred.make<void>()
      const text = "x".repeat(100_000)
      const flood: Handler.Handler = (call) =>
        Effect.forever(call.peer.notify("n", [text])).pipe(
          Effect.orDie,
          Effect.onExit(() => Deferred.succeed(ended, undefined))
        )
      const url = yield* serving({ flood }, { limits: { writeStall: 200 } })
      const headers = { "content-type": "application/json", accept: "text/event-stream" }
      const streaming = yield* posting.begin(url, { headers })
      streaming.request.end(posting.request("flood"))
      const response = yield* streaming.head
      response.pause()
      yield* Deferred.await(ended)
    }))

  it.live("promise 18: callers suspend on a full outbox, and one that never reads its answer is given up", () =>
    Effect.gen(function*() {
      const large: Handler.Handler = () => Effect.succeed("x".repeat(16_000_000))
      const echo: Handler.Handler = () => Effect.succeed("x")
      const url = yield* serving({ large, echo }, { limits: { writeStall: 200, connections: 1 } })
      const reading = yield* posting.begin(url)
      reading.request.end(posting.request("large"))
      const response = yield* reading.head
      response.pause()
      // Its place is free when it is given up.
      const statuses: Array<number> = []
      while (!statuses.includes(200)) {
        statuses.push((yield* posting.post(url, { body: posting.request("echo") })).status)
      }
      assert.strictEqual(statuses[0], 503)
    }))

  it.live("a port that is taken is Open, and so is a key that cannot be read", () =>
    Effect.gen(function*() {
      const url = yield* serving({})
      const taken = yield* Effect.flip(Effect.scoped(serving({}, { port: Number(new URL(url).port) })))
      const keyless = yield* Effect.flip(Effect.scoped(serving({}, { tls: { cert: "none" } })))
      assert.deepStrictEqual([taken, keyless].map((error) => "reason" in error && error.reason._tag), ["Open", "Open"])
    }))

  it.live("has layers, one for each side", () =>
    Effect.gen(function*() {
      const url = yield* serving({ echo: () => Effect.succeed("here") })
      const call = Caller.Caller.use((caller) => caller.request("echo"))
      assert.strictEqual(yield* Effect.provide(call, NodeHttp.layerClient({ url })), "here")
      const taken = Layer.provide(NodeHttp.layerServer({ port: Number(new URL(url).port) }), Router.layer({}))
      assert.include(yield* Effect.flip(Effect.scoped(Layer.build(taken))), { _tag: "TransportError" })
    }))
})
