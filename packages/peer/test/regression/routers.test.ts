/**
 * A client served the router that stood in the context of its layer, and two servers that were given the same layer of
 * handlers shared one router.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Limits from "@parley/protocol/Limits"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import { Transport } from "@parley/transport/Transport"
import { Context, Effect, Layer, Option } from "effect"
import { Peer, Reconnecting, Router } from "../../src/index.ts"
import { request, routerOf } from "../wire.ts"

const limits: Partial<Limits.Limits> = { drain: 0 }

const handlers: Router.Handlers = { secret: () => Effect.succeed("served") }

/** What the other side of a layer gets for a call, where the layer is built in a context that has a router. */
const answerOf = <A, E>(
  layerOf: (ours: Transport) => Layer.Layer<A, E, Transport | Router.Router>
) =>
  Effect.gen(function*() {
    const [ours, theirs] = yield* MemoryTransport.makePair()
    const found = Layer.mergeAll(Layer.succeed(Transport, ours), Router.layer(handlers))
    yield* Layer.build(Layer.provideMerge(layerOf(ours), found))
    const peer = yield* Peer.make(theirs, { limits })
    return yield* Effect.match(peer.request("secret"), {
      onSuccess: (result) => result,
      onFailure: (error) => error._tag === "RemoteError" ? error.code : error._tag
    })
  })

describe("promise 23", () => {
  it.effect("promise 23: a side serves only the router that it was given: a client finds none", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* answerOf(() => Peer.layer({ limits })), -32601)
    }))

  it.effect("promise 23: a side serves only the router that it was given: a client that reconnects finds none", () =>
    Effect.gen(function*() {
      const layer = (ours: Transport) => Reconnecting.layer({ open: Effect.succeed(ours), limits })
      assert.strictEqual(yield* answerOf(layer), -32601)
    }))

  it.effect("promise 23: a side serves only the router that it was given: as an option", () =>
    Effect.gen(function*() {
      const router = yield* routerOf({ secret: () => Effect.succeed("mine") })
      assert.strictEqual(yield* answerOf(() => Peer.layer({ router, limits })), "mine")
    }))

  it.effect("promise 23: a side serves only the router that it was given: by its requirements", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* answerOf(() => Peer.layerServing({ limits })), "served")
    }))

  it.effect("promise 23: a side serves only the router that it was given: two routers take the same handlers", () =>
    Effect.gen(function*() {
      const contract = Layer.effectDiscard(Effect.flatMap(Router.Router, (router) => router.addAll(handlers)))
      const memo = yield* Layer.makeMemoMap
      const scope = yield* Effect.scope
      const first = Context.get(yield* Layer.buildWithMemoMap(Router.layer(contract), memo, scope), Router.Router)
      const second = Context.get(yield* Layer.buildWithMemoMap(Router.layer(contract), memo, scope), Router.Router)
      assert.notStrictEqual(first, second)
      for (const router of [first, second]) {
        const reply = Option.getOrThrow(yield* router.answer(request(1, "secret")))
        assert.deepStrictEqual(JSON.parse(reply), { jsonrpc: "2.0", id: 1, result: "served" })
      }
    }))
})
