import { assert, describe, it } from "@effect/vitest"
import { Caller, ErrorResponse, type Handler, Peer, type Router } from "@parley/peer"
import * as Handshake from "@parley/transport/Handshake"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import { Context, Deferred, Effect, Exit, Fiber, Logger, Option, References } from "effect"
import { pair, routerOf, settle } from "../../peer/test/wire.ts"
import { Authentication } from "../src/index.ts"
import { callerOf, callOf } from "./callers.ts"

class User extends Context.Service<User, { readonly name: string }>()("User") {}

const whoami = () => User.useSync(({ name }) => name)

/** A token is a name, and names are public. */
const authenticate = ({ extra }: Handler.Call) =>
  typeof extra?.["token"] === "string"
    ? Effect.succeed({ name: extra["token"] })
    : Effect.fail(Authentication.unauthenticated())

const as = (token: string) => ({ extra: { token } })

const refused = { _tag: "RemoteError", code: -32003, text: "Unauthenticated" } as const

const started = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.forkChild(effect, { startImmediately: true })

describe("a handler with authentication", () => {
  it.effect("has the service of each call, and those without are refused", () =>
    Effect.gen(function*() {
      let runs = 0
      const [peer] = yield* pair({
        whoami: Authentication.handler(User, authenticate)(() => Effect.tap(whoami(), () => Effect.sync(() => runs++)))
      })
      assert.strictEqual(yield* peer.request("whoami", [], as("ada")), "ada")
      assert.strictEqual(yield* peer.request("whoami", [], as("bob")), "bob")
      assert.deepInclude(yield* Effect.flip(peer.request("whoami")), refused)
      assert.strictEqual(runs, 2)
    }))

  it.effect("may wait for it, and be an exit itself", () =>
    Effect.gen(function*() {
      const slowly = Authentication.handler(User, (call) => Effect.andThen(Effect.yieldNow, authenticate(call)))
      const [peer] = yield* pair({
        whoami: slowly(whoami),
        slowly: slowly(() => Exit.succeed("exit")),
        once: Authentication.handler(User, authenticate)(() => Exit.succeed("exit"))
      })
      const calls = ["whoami", "slowly", "once"].map((method) => peer.request(method, [], as("ada")))
      assert.deepStrictEqual(yield* Effect.all(calls), ["ada", "exit", "exit"])
      assert.deepInclude(yield* Effect.flip(peer.request("slowly")), refused)
    }))

  it("says no more than it is told to", () => {
    assert.deepInclude(Authentication.unauthenticated(), { code: -32003, message: "Unauthenticated" })
    assert.isFalse(Object.hasOwn(Authentication.unauthenticated(), "data"))
    assert.deepStrictEqual(Authentication.unauthenticated({ realm: "bank" }).data, { realm: "bank" })
  })
})

describe("a handler with authentication per connection", () => {
  /** Two connections to one server, and how often it authenticated. */
  const twoConnections = Effect.gen(function*() {
    let times = 0
    const middleware = Authentication.handler(User, (call) => Effect.suspend(() => (times++, authenticate(call))), {
      per: "connection"
    })
    const router = yield* routerOf({ whoami: middleware(whoami), again: middleware(whoami) })
    const connect = Effect.gen(function*() {
      const [near, far] = yield* MemoryTransport.makePair()
      yield* Peer.make(far, { router, limits: { drain: 0 } })
      return yield* Peer.make(near, { limits: { drain: 0 } })
    })
    return { first: yield* connect, second: yield* connect, times: () => times }
  })

  it.effect("has the service of the connection's first call, in all handlers that share it", () =>
    Effect.gen(function*() {
      const { first, times } = yield* twoConnections
      assert.strictEqual(yield* first.request("whoami", [], as("ada")), "ada")
      assert.strictEqual(yield* first.request("whoami"), "ada")
      assert.strictEqual(yield* first.request("again", [], as("bob")), "ada")
      assert.strictEqual(times(), 1)
    }))

  it.effect("has nothing of another connection's", () =>
    Effect.gen(function*() {
      const { first, second, times } = yield* twoConnections
      assert.strictEqual(yield* first.request("whoami", [], as("ada")), "ada")
      assert.deepInclude(yield* Effect.flip(second.request("whoami")), refused)
      assert.strictEqual(yield* second.request("whoami", [], as("bob")), "bob")
      assert.strictEqual(yield* first.request("whoami"), "ada")
      assert.strictEqual(times(), 3)
    }))

  it.effect("lets a refused call not spoil those after it", () =>
    Effect.gen(function*() {
      const { first, times } = yield* twoConnections
      assert.deepInclude(yield* Effect.flip(first.request("whoami")), refused)
      assert.strictEqual(yield* first.request("whoami", [], as("ada")), "ada")
      assert.strictEqual(times(), 2)
    }))

  /** Calls of one connection whose authentication the test ends. */
  const waiting = Effect.gen(function*() {
    const gates: Array<Deferred.Deferred<void, ErrorResponse.ErrorResponse>> = []
    const middleware = Authentication.handler(
      User,
      (call) =>
        Effect.suspend(() => {
          const gate = Deferred.makeUnsafe<void, ErrorResponse.ErrorResponse>()
          gates.push(gate)
          return Effect.andThen(Deferred.await(gate), authenticate(call))
        }),
      { per: "connection" }
    )
    const [peer] = yield* pair({ whoami: middleware(whoami) })
    const calls = yield* Effect.forEach(
      ["ada", "bob", "cyd"],
      (name) => started(Effect.exit(peer.request("whoami", [], as(name))))
    )
    yield* settle
    return { calls, gates }
  })

  it.effect("authenticates once for calls that come together", () =>
    Effect.gen(function*() {
      const { calls, gates } = yield* waiting
      assert.strictEqual(gates.length, 1)
      yield* Deferred.succeed(gates[0]!, undefined)
      yield* settle
      assert.strictEqual(gates.length, 1)
      const exits = yield* Effect.forEach(calls, Fiber.join)
      assert.deepStrictEqual(exits, [Exit.succeed("ada"), Exit.succeed("ada"), Exit.succeed("ada")])
    }))

  it.effect("lets the next one try when the first fails or is interrupted", () =>
    Effect.gen(function*() {
      const { calls, gates } = yield* waiting
      yield* Deferred.fail(gates[0]!, Authentication.unauthenticated())
      yield* settle
      assert.strictEqual(gates.length, 2)
      yield* Fiber.interrupt(calls[1]!)
      yield* settle
      assert.strictEqual(gates.length, 3)
      yield* Deferred.succeed(gates[2]!, undefined)
      assert.isTrue(Exit.isFailure(yield* Fiber.join(calls[0]!)))
      assert.deepStrictEqual(yield* Fiber.join(calls[2]!), Exit.succeed("cyd"))
    }))

  it.effect("authenticates each call that stands alone", () =>
    Effect.gen(function*() {
      let times = 0
      const middleware = Authentication.handler(User, () => Effect.sync(() => ({ name: String(++times) })), {
        per: "connection"
      })
      const handler = middleware(whoami)
      assert.deepStrictEqual([yield* handler(callOf()), yield* handler(callOf())], ["1", "2"])
    }))
})

describe("a handler with the principal of its connection", () => {
  const handshake = (name?: string): Handshake.Handshake => ({
    head: { method: "GET", url: "/", address: undefined, header: () => undefined },
    principal: name === undefined ? Context.empty() : Context.make(User, { name })
  })

  /** A peer whose other side serves it in a connection with this handshake. */
  const connect = (router: Router.Router, current: Handshake.Handshake | undefined) =>
    Effect.gen(function*() {
      const [near, far] = yield* MemoryTransport.makePair()
      const serving = Peer.make(far, { router, limits: { drain: 0 } })
      yield* Effect.provideService(serving, Handshake.Current, current)
      return yield* Peer.make(near, { limits: { drain: 0 } })
    })

  it.effect("has it for requests and notifications, each connection its own", () =>
    Effect.gen(function*() {
      const noted: Array<string> = []
      const known = Authentication.principal(User)
      const router = yield* routerOf({
        whoami: known(whoami),
        exit: known(() => Exit.succeed("exit")),
        note: known(() => Effect.map(User, ({ name }) => void noted.push(name)))
      })
      const [ada, bob] = [yield* connect(router, handshake("ada")), yield* connect(router, handshake("bob"))]
      const calls = [ada.request("whoami"), bob.request("whoami"), ada.request("exit")]
      assert.deepStrictEqual(yield* Effect.all(calls), ["ada", "bob", "exit"])
      yield* bob.notify("note")
      yield* settle
      assert.deepStrictEqual(noted, ["bob"])
      const text = `{"jsonrpc":"2.0","id":1,"method":"whoami"}`
      const answered = Effect.provideService(router.answer(text), Handshake.Current, handshake("cyd"))
      assert.include(Option.getOrThrow(yield* answered), `"cyd"`)
    }))

  it.effect("has that of the call, not of the connection in which it was added", () =>
    Effect.gen(function*() {
      const router = yield* routerOf({})
      const adding = router.add("whoami", Authentication.principal(User)(whoami))
      yield* Effect.provideService(adding, Handshake.Current, handshake("ada"))
      const bob = yield* connect(router, handshake("bob"))
      assert.strictEqual(yield* bob.request("whoami"), "bob")
      const nobody = yield* connect(router, undefined)
      assert.deepInclude(yield* Effect.flip(nobody.request("whoami")), refused)
    }))

  it.effect("is refused without one, and the log names the option once", () =>
    Effect.gen(function*() {
      const lines: Array<string> = []
      const logger = Logger.make(({ message }) => {
        lines.push(String(message))
      })
      const watch = Effect.provideService(References.CurrentLoggers, new Set([logger]))
      let runs = 0
      const known = Authentication.principal(User)
      const router = yield* routerOf({ whoami: known(() => Effect.as(User, ++runs)) })
      for (const current of [undefined, handshake()]) {
        const peer = yield* watch(connect(router, current))
        assert.deepInclude(yield* Effect.flip(peer.request("whoami")), refused)
      }
      assert.strictEqual(runs, 0)
      assert.deepStrictEqual(lines.filter((line) => line.includes("authorize")), [
        "whoami needs the principal User, and its connection has none: " +
        "give its listener or HTTP host an `authorize` that makes one, or let its client log in first"
      ])
    }))
})

describe("a caller with credentials", () => {
  it.effect("is known to the other side", () =>
    Effect.gen(function*() {
      const [peer] = yield* pair({ whoami: Authentication.handler(User, authenticate)(whoami) })
      const caller = Authentication.caller(() => Effect.succeed(as("ada")))(peer)
      assert.strictEqual(yield* caller.request("whoami"), "ada")
      const [result] = yield* caller.batch([{ method: "whoami" }])
      assert.deepInclude(result, { success: "ada" })
    }))

  it.effect("adds them beside what is there, to all that it sends", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const keep = (...parts: ReadonlyArray<unknown>) => Effect.sync(() => void seen.push(parts))
      const caller = Authentication.caller((method, params) =>
        Effect.succeed(method === "plain" ? {} : { extra: { token: method }, params: { ...params, key: 1 } })
      )(callerOf({
        request: (...parts) => Effect.as(keep(...parts), null),
        notify: keep,
        batch: (...parts) => Effect.as(keep(...parts), [])
      }))
      const options = { timeout: 5, extra: { more: 1, token: "old" } }
      yield* caller.request("a", { x: 1 }, options)
      yield* caller.request("a")
      yield* caller.request("plain", [1], options)
      yield* caller.notify("b", { x: 1 })
      yield* caller.batch(
        [{ method: "c", extra: { more: 1 } }, { method: "plain", params: [1], notification: true }],
        options
      )
      assert.deepStrictEqual(seen, [
        ["a", { x: 1, key: 1 }, { timeout: 5, extra: { more: 1, token: "a" } }],
        ["a", { key: 1 }, { extra: { token: "a" } }],
        ["plain", [1], options],
        ["b", { x: 1, key: 1 }],
        [
          [
            { method: "c", params: { key: 1 }, extra: { more: 1, token: "c" } },
            { method: "plain", params: [1], notification: true, extra: undefined }
          ],
          options
        ]
      ])
    }))

  it.effect("sends nothing when there are none", () =>
    Effect.gen(function*() {
      const error = new Caller.InvalidArguments({ method: "m", cause: "no token" })
      const inner = callerOf({ request: () => Effect.die("sent"), notify: () => Effect.die("sent") })
      const caller = Authentication.caller(() => Effect.fail(error))(inner)
      assert.deepStrictEqual(yield* Effect.flip(caller.request("m")), error)
      assert.deepStrictEqual(yield* Effect.flip(caller.notify("m")), error)
      assert.deepStrictEqual(yield* Effect.flip(caller.batch([{ method: "m" }])), error)
    }))
})
