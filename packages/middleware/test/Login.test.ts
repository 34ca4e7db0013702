/** A method that logs its client in: who the calls behind it are for, and whom nobody else is taken for. */
import { assert, describe, it } from "@effect/vitest"
import { ErrorResponse, type Handler, Peer, Reconnecting, Router } from "@parley/peer"
import * as Handshake from "@parley/transport/Handshake"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import { Context, Deferred, Effect, Fiber, Logger, Option, Scope } from "effect"
import { TestClock } from "effect/testing"
import { connect, notification, pair, request, routerOf, settle } from "../../peer/test/wire.ts"
import { Authentication } from "../src/index.ts"

class User extends Context.Service<User, { readonly id: string }>()("User") {}
class Tenant extends Context.Service<Tenant, { readonly name: string }>()("Tenant") {}

const refused = { _tag: "RemoteError", code: -32003, text: "Unauthenticated" } as const

const known = Authentication.principal(User)

const textOf = ({ params }: Handler.Call): string => String(Array.isArray(params) ? params[0] : "")

/** Lets everybody but mallory in, by the name that is given. */
const verify = (call: Handler.Call) =>
  textOf(call) === "mallory" ? Effect.fail(ErrorResponse.make(4000, "No")) : Effect.succeed({ id: textOf(call) })

const whoami = known(() => User.useSync(({ id }) => id))

const handlers: Router.Handlers = {
  whoami,
  login: (call) => Effect.flatMap(verify(call), (user) => Authentication.logIn(User, user, user.id)),
  loginSlowly: (call) =>
    Effect.yieldNow.pipe(Effect.andThen(verify(call)), Effect.flatMap((user) => Authentication.logIn(User, user))),
  loginLeaving: (call) =>
    Effect.andThen(
      Authentication.logIn(User, { id: textOf(call) }),
      Effect.sync(() =>
        call.afterReply(
          Effect.flatMap(
            Handshake.principal(User),
            (user) => Effect.ignore(call.peer.notify("left", [Option.getOrThrow(user).id]))
          )
        )
      )
    ),
  logout: () => Authentication.logOut,
  tenant: Authentication.principal(Tenant)(() => Tenant.useSync(({ name }) => name)),
  name: () => Effect.map(Handshake.Current, (current) => (current && Handshake.nameOf(current)) ?? null),
  head: () => Effect.map(Handshake.Current, (current) => current === undefined ? null : Handshake.pathOf(current.head))
}

const quietly = Effect.provide(Logger.layer([]))

describe("a login", () => {
  it.effect("names the client of its connection, for the calls behind it and for no other connection", () =>
    Effect.gen(function*() {
      const router = yield* routerOf(handlers)
      const of = Effect.gen(function*() {
        const [near, far] = yield* MemoryTransport.makePair()
        yield* Peer.make(far, { router, limits: { drain: 0 } })
        return yield* Peer.make(near, { limits: { drain: 0 } })
      })
      const [ada, bob] = [yield* of, yield* of]
      assert.deepInclude(yield* Effect.flip(ada.request("whoami")), refused)
      yield* ada.request("login", ["ada"])
      assert.strictEqual(yield* ada.request("whoami"), "ada")
      assert.strictEqual(yield* ada.request("name"), "ada")
      assert.strictEqual(yield* ada.request("head"), "/")
      assert.deepInclude(yield* Effect.flip(bob.request("whoami")), refused)
      yield* bob.request("login", ["bob"])
      assert.deepStrictEqual(yield* Effect.all([ada.request("whoami"), bob.request("whoami")]), ["ada", "bob"])
    }).pipe(quietly))

  it.effect("that fails leaves the principal as it was", () =>
    Effect.gen(function*() {
      const [peer] = yield* pair(handlers)
      assert.deepInclude(yield* Effect.flip(peer.request("login", ["mallory"])), { code: 4000 })
      assert.deepInclude(yield* Effect.flip(peer.request("whoami")), refused)
      yield* peer.request("login", ["ada"])
      yield* Effect.flip(peer.request("login", ["mallory"]))
      assert.strictEqual(yield* peer.request("whoami"), "ada")
    }).pipe(quietly))

  it.effect("replaces the one before, with its name, and a logout takes it back", () =>
    Effect.gen(function*() {
      const [peer] = yield* pair(handlers)
      yield* peer.request("login", ["ada"])
      yield* peer.request("loginSlowly", ["bob"])
      assert.strictEqual(yield* peer.request("whoami"), "bob")
      // This login gave no name.
      assert.isNull(yield* peer.request("name"))
      yield* peer.request("logout")
      assert.deepInclude(yield* Effect.flip(peer.request("whoami")), refused)
      assert.isNull(yield* peer.request("head"))
    }).pipe(quietly))

  it.effect("stands beside what `authorize` gave, which a logout leaves", () =>
    Effect.gen(function*() {
      const [near, far] = yield* MemoryTransport.makePair()
      const router = yield* routerOf(handlers)
      const principal = Context.make(Tenant, { name: "acme" }).pipe(Context.add(Handshake.Name, "acme's"))
      const head: Handshake.Head = { method: "GET", url: "/rpc?a", header: () => undefined, address: undefined }
      yield* Effect.provideService(Peer.make(far, { router }), Handshake.Current, { head, principal })
      const peer = yield* Peer.make(near)

      yield* peer.request("loginSlowly", ["ada"])
      assert.deepStrictEqual(
        yield* Effect.all([peer.request("whoami"), peer.request("tenant"), peer.request("head")]),
        ["ada", "acme", "/rpc"]
      )
      // The name of the handshake is not that of whoever has logged in.
      assert.isNull(yield* peer.request("name"))
      yield* peer.request("login", ["ada"])
      assert.strictEqual(yield* peer.request("name"), "ada")
      yield* peer.request("logout")
      assert.strictEqual(yield* peer.request("tenant"), "acme")
      assert.strictEqual(yield* peer.request("name"), "acme's")
      assert.deepInclude(yield* Effect.flip(peer.request("whoami")), refused)
    }).pipe(quietly))

  it.effect("may have several services", () =>
    Effect.gen(function*() {
      const both = Context.make(User, { id: "ada" }).pipe(Context.add(Tenant, { name: "acme" }))
      const [peer] = yield* pair({ ...handlers, both: () => Authentication.logInAs(both) })
      yield* peer.request("both")
      assert.deepStrictEqual(yield* Effect.all([peer.request("whoami"), peer.request("tenant")]), ["ada", "acme"])
    }))

  it.effect("leaves a call that runs with the principal that it started with", () =>
    Effect.gen(function*() {
      const go = yield* Deferred.make<void>()
      const late = Effect.andThen(Deferred.await(go), Effect.map(Handshake.principal(User), Option.getOrThrow))
      const [peer] = yield* pair({ ...handlers, late: known(() => Effect.map(late, ({ id }) => id)) })
      yield* peer.request("login", ["ada"])
      const running = yield* Effect.forkChild(peer.request("late"), { startImmediately: true })
      yield* peer.request("login", ["bob"])
      yield* Deferred.succeed(go, undefined)
      assert.strictEqual(yield* Fiber.join(running), "ada")
      assert.strictEqual(yield* peer.request("late"), "bob")
    }))

  it.effect("is known to what its handler leaves to run behind its reply", () =>
    Effect.gen(function*() {
      const { wire } = yield* connect(handlers)
      yield* wire.send(request(1, "loginLeaving", ["ada"]))
      assert.deepStrictEqual((yield* wire.take(2))[1], { jsonrpc: "2.0", method: "left", params: ["ada"] })
    }))
})

describe("a call that does not wait for the login before it", () => {
  it.effect("is refused while the login runs, also in one batch with it", () =>
    Effect.gen(function*() {
      const { wire } = yield* connect(handlers)
      yield* wire.transport.send([request(1, "loginSlowly", ["ada"]), request(2, "whoami")]).pipe(Effect.orDie)
      yield* settle
      assert.deepInclude(wire.received[0], { id: 2, error: { code: -32003, message: "Unauthenticated" } })
      const { wire: other } = yield* connect(handlers)
      yield* other.send(`[${request(1, "loginSlowly", ["ada"])},${request(2, "whoami")}]`)
      const [batch] = yield* other.take(1)
      assert.deepInclude((batch as ReadonlyArray<object>)[1], {
        id: 2,
        error: { code: -32003, message: "Unauthenticated" }
      })
    }).pipe(quietly))

  it.effect("finds a login whose handler has ended at once", () =>
    Effect.gen(function*() {
      const { wire } = yield* connect(handlers)
      yield* wire.transport.send([request(1, "login", ["ada"]), request(2, "whoami")]).pipe(Effect.orDie)
      yield* settle
      assert.deepInclude(wire.received[1], { id: 2, result: "ada" })
    }))

  it.effect("finds a login that came as a notification, because it waits for that", () =>
    Effect.gen(function*() {
      const { wire } = yield* connect(handlers)
      yield* wire.transport.send([notification("loginSlowly", ["ada"]), request(2, "whoami")]).pipe(Effect.orDie)
      assert.deepInclude((yield* wire.take(1))[0], { id: 2, result: "ada" })
    }))
})

describe("a login of no connection", () => {
  it.effect("is refused where a text is answered by itself, as over HTTP", () =>
    Effect.gen(function*() {
      const router = yield* routerOf(handlers)
      const answers = yield* Effect.forEach([request(1, "login", ["ada"]), request(2, "logout")], (text) =>
        router.answer(text))
      assert.deepStrictEqual(
        answers.map((answer) =>
          JSON.parse(Option.getOrThrow(answer)).error
        ),
        [
          { code: -32000, message: "Logging in needs a connection" },
          { code: -32000, message: "Logging in needs a connection" }
        ]
      )
    }))

  it.effect("is not that of the connection in which its handler was added", () =>
    Effect.gen(function*() {
      const router = yield* Router.make()
      const add: Handler.Handler = () =>
        Effect.orDie(Effect.provideService(router.addAll(handlers), Scope.Scope, scope))
      const scope = yield* Effect.scope
      const [adding] = yield* pair({ add, whoami })
      yield* adding.request("add")
      const [near, far] = yield* MemoryTransport.makePair()
      yield* Peer.make(far, { router })
      const peer = yield* Peer.make(near)
      yield* peer.request("login", ["ada"])
      assert.strictEqual(yield* peer.request("whoami"), "ada")
      assert.deepInclude(yield* Effect.flip(adding.request("whoami")), refused)
    }).pipe(quietly))
})

describe("a client that reconnects", () => {
  it.effect("logs in on each connection before any other call", () =>
    Effect.gen(function*() {
      const router = yield* routerOf(handlers)
      const servers: Array<Peer.Peer> = []
      const open = Effect.gen(function*() {
        const [near, far] = yield* MemoryTransport.makePair()
        servers.push(yield* Peer.make(far, { router, limits: { drain: 0 } }))
        return near
      })
      const caller = yield* Reconnecting.make({ open, onConnect: (peer) => peer.request("loginSlowly", ["ada"]) })
      assert.strictEqual(yield* caller.request("whoami"), "ada")
      yield* Effect.forEach(servers.slice(), ({ shutdown }) => shutdown)
      yield* settle
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* caller.request("whoami"), "ada")
      assert.strictEqual(servers.length, 2)
    }))
})
