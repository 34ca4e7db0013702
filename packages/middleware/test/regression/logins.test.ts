/** A conversation that was made in the handler of another one had its holder: what logged in by it was the other's client. */
import { assert, describe, it } from "@effect/vitest"
import { type ErrorResponse, type Handler, Peer, Reconnecting, Router, Session } from "@parley/peer"
import { Alone, Exchange } from "@parley/peer/shared"
import { Dialect, Limits } from "@parley/protocol"
import * as Handshake from "@parley/transport/Handshake"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import { Context, Effect, Logger, Option, type Schema, type Scope } from "effect"
import { request, routerOf } from "../../../peer/test/wire.ts"
import { Authentication } from "../../src/index.ts"

class User extends Context.Service<User, { readonly id: string }>()("User") {}

const limits = { drain: 0 }

const whoami: Handler.Handler = () =>
  Effect.map(Handshake.principal(User), (user) => Option.isSome(user) ? user.value.id : null)

/** The router of the conversation inside. */
const inner: Router.Handlers = { login: () => Authentication.logIn(User, { id: "mallory" }), whoami }

/** Makes a conversation in a handler, and gives the answer to a call that comes by it. */
type Way = (
  router: Router.Router,
  method: string
) => Effect.Effect<Schema.Json | undefined, unknown, Scope.Scope>

const answered = (answer: Option.Option<string>): Schema.Json | undefined =>
  JSON.parse(Option.getOrThrow(answer)).result

const texts: Readonly<Record<string, Way>> = {
  "a text that a router answers": (router, method) => Effect.map(router.answer(request(1, method)), answered),
  "a text that a session answers": (router, method) =>
    Effect.flatMap(Session.make({ router }), (session) => Effect.map(session.answer(request(1, method)), answered)),
  "a text that stands alone": (router, method) =>
    Effect.map(
      Alone.answer(request(1, method), { router, dialect: Dialect.jsonRpc, limits: Limits.defaults }),
      ({ text = "" }) => JSON.parse(text).result
    )
}

/** The sides that a handler calls, and that call back before they answer. */
const sides: Readonly<Record<string, Way>> = {
  "exchanges": (router, method) =>
    Effect.gen(function*() {
      let answer: Schema.Json | undefined
      const exchange: Exchange.Exchange = {
        post: (text, take) =>
          Effect.gen(function*() {
            const message = JSON.parse(text)
            if (message.method === undefined) answer = message.result
            else {
              yield* take(request("theirs", method)) ?? Effect.void
              yield* take(JSON.stringify({ jsonrpc: "2.0", id: message.id, result: 1 })) ?? Effect.void
            }
            return "stream" as const
          })
      }
      const caller = yield* Exchange.makeCaller(exchange, { router, limits })
      yield* caller.request("up")
      yield* Effect.yieldNow
      return answer
    }),
  "a peer": (router, method) =>
    Effect.gen(function*() {
      const [near, far] = yield* MemoryTransport.makePair()
      yield* Peer.make(near, { router, limits })
      const upstream = yield* Peer.make(far, { limits })
      return yield* upstream.request(method)
    }),
  "a caller that reconnects": (router, method) =>
    Effect.gen(function*() {
      const upstream = yield* routerOf({ up: ({ peer }) => Effect.orDie(peer.request(method)) })
      const open = Effect.gen(function*() {
        const [near, far] = yield* MemoryTransport.makePair()
        yield* Peer.make(far, { router: upstream, limits })
        return near
      })
      return yield* (yield* Reconnecting.make({ open, router, limits })).request("up")
    }),
  "a listener": (router, method) =>
    Effect.gen(function*() {
      const { connect, listener } = yield* MemoryTransport.makeListener()
      yield* Effect.forkScoped(
        listener.run((transport) => Effect.flatMap(Peer.make(transport, { router, limits }), ({ closed }) => closed))
      )
      return yield* (yield* Peer.make(yield* connect, { limits })).request(method)
    })
}

/** A connection whose handler does it. It is that of Ada, if she logs in. */
const outer = (way: Way) =>
  Effect.gen(function*() {
    const router = yield* routerOf(inner)
    const [near, far] = yield* MemoryTransport.makePair()
    const handlers: Router.Handlers = {
      login: () => Authentication.logIn(User, { id: "ada" }),
      relay: (call) =>
        Effect.orDie(
          Effect.scoped(way(router, String(Array.isArray(call.params) ? call.params[0] : ""))).pipe(
            Effect.map((answer) => answer ?? null)
          )
        ) as Effect.Effect<Schema.Json, ErrorResponse.ErrorResponse>,
      whoami
    }
    yield* Peer.make(far, { router: yield* routerOf(handlers), limits })
    return yield* Peer.make(near, { limits })
  })

const quietly = Effect.provide(Logger.layer([]))

describe("a login", () => {
  it.effect.each(Object.entries({ ...texts, ...sides }))(
    "is not that of the connection in whose handler it came by %s",
    ([, way]) =>
      Effect.gen(function*() {
        const peer = yield* outer(way)
        yield* Effect.exit(peer.request("relay", ["login"]))
        assert.isNull(yield* peer.request("whoami"))
        yield* peer.request("login")
        yield* Effect.exit(peer.request("relay", ["login"]))
        assert.strictEqual(yield* peer.request("whoami"), "ada")
      }).pipe(quietly)
  )
})

describe("the side behind", () => {
  it.effect.each(Object.entries(sides))(
    "is not the client of the handler that calls it: %s",
    ([, way]) =>
      Effect.gen(function*() {
        const peer = yield* outer(way)
        yield* peer.request("login")
        assert.isNull(yield* peer.request("relay", ["whoami"]))
      }).pipe(quietly)
  )
})

describe("a side that is called for a request over HTTP", () => {
  const head: Handshake.Head = { method: "POST", url: "/", header: () => undefined, address: undefined }
  const ada = { head, principal: Context.make(User, { id: "ada" }) }
  // A peer that is made by itself may be that of a connection, whose handshake it then has.
  const { "a peer": _, ...others } = sides

  it.effect.each(Object.entries(others))("is not the client of that request: %s", ([, way]) =>
    Effect.gen(function*() {
      const router = yield* routerOf(inner)
      assert.isNull(yield* Effect.provideService(way(router, "whoami"), Handshake.Current, ada))
    }).pipe(quietly))
})

describe("a text that a handler has answered", () => {
  it.effect.each(Object.entries(texts))("runs for the client of the handler: %s", ([, way]) =>
    Effect.gen(function*() {
      const peer = yield* outer(way)
      yield* peer.request("login")
      assert.strictEqual(yield* peer.request("relay", ["whoami"]), "ada")
    }).pipe(quietly))
})
