/** Endpoints and fetchers that are not ours, behind and below our hosts and exchanges. */
import { assert, describe, it } from "@effect/vitest"
import * as HttpEndpoint from "@parley/http/HttpEndpoint"
import { RequestRules } from "@parley/http/shared"
import { HttpExchange, type HttpFetcher } from "@parley/http/shared/client"
import * as NodeHttp from "@parley/node/NodeHttp"
import { NodeExchange } from "@parley/node/shared"
import { Router, Session } from "@parley/peer"
import { Exchange } from "@parley/peer/shared"
import { Context, Deferred, Effect, Exit, Fiber, Logger, References, Scope } from "effect"
import { once } from "node:events"
import { setImmediate as turn } from "node:timers/promises"
import { hosts } from "../support/httpHosts.ts"
import * as posting from "../support/posting.ts"
import * as raw from "../support/raw.ts"

const json = { "content-type": "application/json" }

describe.each(hosts)("an endpoint that throws, on $name", (host) => {
  const answers: Record<string, () => ReturnType<HttpEndpoint.HttpEndpoint["answer"]>> = {
    throws: () => {
      throw new Error("thrown by the endpoint")
    },
    "bad header": () => Effect.succeed({ status: 200, headers: { "x-bad": "a\nb" }, body: "" }),
    fine: () => Effect.succeed({ status: 200, headers: json, body: "{}" })
  }

  it.live("answers 500, and the next request is served", () =>
    Effect.gen(function*() {
      const logged: Array<string> = []
      const logger = Logger.make(({ cause, message }) => {
        logged.push(`${String(message)} ${String(cause)}`)
      })
      const endpoint: HttpEndpoint.HttpEndpoint = {
        ...RequestRules.make(),
        answer: (head) => answers[head.header("x-what") ?? "fine"]?.() ?? Effect.never
      }
      const url = yield* host.serveEndpoint(endpoint).pipe(
        Effect.provideService(References.CurrentLoggers, new Set([logger]))
      )
      const statuses = []
      for (const what of ["throws", "fine"]) {
        const { status } = yield* posting.post(url, { headers: { ...json, "x-what": what }, body: "{}" })
        statuses.push(status)
      }
      assert.deepStrictEqual(statuses, [500, 200])
      if (host.name !== "NodeHttp") return
      const { status } = yield* posting.post(url, { headers: { ...json, "x-what": "bad header" }, body: "{}" })
      assert.strictEqual(status, 500)
      assert.strictEqual(logged.length, 2)
      assert.include(logged[0], "The answer to POST / failed")
      assert.include(logged[0], "thrown by the endpoint")
    }))
})

describe("NodeHttp", () => {
  const much = posting.request("much")
  const post = (text: string) =>
    `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`

  const serving = (options: Partial<NodeHttp.HttpServerOptions>) =>
    Effect.gen(function*() {
      const router = yield* Router.make({ limits: { frame: 32 * 1024 * 1024 } })
      const begun = yield* Deferred.make<void>()
      yield* router.addAll({
        // More than the system takes from us.
        much: () => Effect.succeed("x".repeat(20_000_000)),
        ping: () => Effect.succeed("pong"),
        wait: () => Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
      })
      const server = NodeHttp.serveRouter({ port: 0, ...options })
      return { begun, ...yield* Effect.provideService(server, Router.Router, router) }
    })

  const unread = (port: number, text: string) =>
    Effect.gen(function*() {
      const { received, socket } = yield* raw.connect(`tcp://127.0.0.1:${port}`)
      socket.pause()
      socket.write(text)
      return { received, socket }
    })

  it.live("answers that nobody reads give way to each other where they spend the budget, and keep nobody out", () =>
    Effect.gen(function*() {
      const { address, port } = yield* serving({ limits: { budget: 30_000_000 } })
      const first = yield* unread(port, post(much))
      yield* Effect.promise(() => once(first.socket, "readable"))
      const second = yield* unread(port, post(much))
      yield* Effect.promise(() => once(second.socket, "readable"))
      const { status } = yield* posting.post(address, { body: posting.request("ping") })
      assert.strictEqual(status, 200)
      second.socket.end()
      for (const { socket } of [first, second]) socket.resume()
      assert.isBelow((yield* first.received).length, 20_000_000)
      assert.isAbove((yield* second.received).length, 20_000_000)
    }))

  for (const late of ["its body", "its `authorize`"]) {
    it.live(`promise 19: end of input drains, and who was told so by 503 is not served when ${late} comes late`, () =>
      Effect.gen(function*() {
        const asked = yield* Deferred.make<void>()
        const known = yield* Deferred.make<void>()
        const authorize = () =>
          Deferred.succeed(asked, undefined).pipe(Effect.andThen(Deferred.await(known)), Effect.as(Context.empty()))
        const scope = yield* Scope.fork(yield* Effect.scope)
        const { begun, port } = yield* Scope.provide(serving({ authorize, limits: { drain: 50 } }), scope)
        const { received, socket } = yield* raw.connect(`tcp://127.0.0.1:${port}`)
        const text = post(posting.request("wait"))
        socket.write(text.slice(0, -10))
        yield* Deferred.await(asked)
        if (late === "its body") yield* Deferred.succeed(known, undefined)
        const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
        yield* Effect.promise(() => once(socket, "data"))
        yield* Deferred.succeed(known, undefined)
        socket.write(text.slice(-10))
        assert.match(String(yield* received), /^HTTP\/1.1 503 [^]*\r\n\r\nShutting down\.$/)
        yield* Fiber.join(closing)
        assert.isFalse(yield* Deferred.isDone(begun))
      }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))
  }

  it.live("a client that leaves takes all that it has asked for with it, also what waits behind another answer", () =>
    Effect.gen(function*() {
      const { address, begun, port } = yield* serving({ limits: { connections: 3 } })
      const { socket } = yield* unread(port, `${post(posting.request("wait"))}${post(much)}${post(much)}`)
      yield* Deferred.await(begun)
      const ping = posting.post(address, { body: posting.request("ping") })
      const ended = (expected: number) =>
        Effect.eventually(Effect.andThen(
          Effect.promise(() => turn()),
          Effect.flatMap(ping, ({ status }) => status === expected ? Effect.void : Effect.fail(status))
        ))
      yield* ended(503)
      socket.destroy()
      yield* ended(200)
      const other = yield* unread(port, `${post(posting.request("ping"))}${post(posting.request("ping"))}`)
      yield* ended(200)
      other.socket.destroy()
    }))
})

describe("HttpExchange", () => {
  it.effect("closes the Scope of each answer, also of those that were read to their end", () =>
    Effect.gen(function*() {
      let open = 0
      const fetcher: HttpFetcher.HttpFetcher = {
        fetch: () =>
          Effect.as(Effect.acquireRelease(Effect.sync(() => open++), () => Effect.sync(() => open--)), {
            status: 200,
            header: (name: string) => name === "content-type" ? "application/json" : undefined,
            read: (take) => take(new TextEncoder().encode("{}")) ?? Effect.void
          })
      }
      const exchange = HttpExchange.fromFetcher(fetcher, { url: "http://127.0.0.1/" })
      const texts: Array<string> = []
      for (let index = 0; index < 3; index++) {
        yield* exchange.post("{}", (text) => {
          texts.push(text)
          return undefined
        })
      }
      assert.deepStrictEqual([texts.length, open], [3, 0])
    }))
})

/** Each call held a connection, and the replies that the other side waited for queued behind the calls. */
const connections = 2

const exchanges = [
  { name: "an exchange of its own", make: (url: string) => NodeExchange.make({ url, connections }) },
  {
    name: "an exchange over a fetcher",
    make: (url: string) =>
      Effect.map(NodeHttp.makeFetcher({ connections }), (fetcher) => HttpExchange.fromFetcher(fetcher, { url }))
  }
]

describe.each(exchanges)("a caller over $name", ({ make }) => {
  const calling = (depth: number) =>
    Effect.gen(function*() {
      let notified = 0
      const theirs = yield* Router.make()
      yield* theirs.addAll({
        down: ({ params, peer }) => {
          const [left] = params as [number]
          return left === 0 ? Effect.succeed("bottom") : Effect.orDie(peer.request("up", [left - 1]))
        },
        note: ({ peer }) => Effect.tap(Effect.orDie(peer.request("up", [depth])), () => Effect.sync(() => notified++))
      })
      const ours = yield* Router.make()
      yield* ours.add("up", ({ params, peer }) => Effect.orDie(peer.request("down", params)))
      const session = yield* Session.make({ router: theirs })
      const endpoint = HttpEndpoint.jsonRpc((text, { send } = {}) =>
        session.answer(text, send === undefined ? undefined : { send })
      )
      const { address } = yield* NodeHttp.serve(endpoint, { port: 0 })
      const caller = yield* Exchange.makeCaller(yield* make(address), { router: ours, timeout: "5 seconds" })
      return { caller, notified: () => notified }
    })

  const times = <A, E>(effect: Effect.Effect<A, E>) =>
    Effect.all(Array.from({ length: 10 * connections }, () => effect), { concurrency: "unbounded" })

  it.live("promise 12: the receive loop waits for nothing but the transport: handlers call back at any load", () =>
    Effect.gen(function*() {
      const { caller } = yield* calling(1)
      assert.deepStrictEqual(new Set(yield* times(caller.request("down", [1]))), new Set(["bottom"]))
    }))

  it.live("promise 12: the receive loop waits for nothing but the transport: handlers call back to any depth", () =>
    Effect.gen(function*() {
      const { caller } = yield* calling(4)
      assert.deepStrictEqual(new Set(yield* times(caller.request("down", [4]))), new Set(["bottom"]))
    }))

  it.live("promise 12: the receive loop waits for nothing but the transport: handlers of notifications call back", () =>
    Effect.gen(function*() {
      const { caller, notified } = yield* calling(0)
      yield* times(caller.notify("note"))
      assert.strictEqual(notified(), 10 * connections)
    }))
})
