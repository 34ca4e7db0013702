/** A notification to a connection that was lost succeeded, and the connection called itself open. */
import { assert, describe, it } from "@effect/vitest"
import { Budget } from "@parley/transport/shared"
import * as Transport from "@parley/transport/Transport"
import { Deferred, Effect, Fiber } from "effect"
import { Peer } from "../../src/index.ts"
import { notification, routerOf, settle } from "../wire.ts"

const started = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

const inWords = <A>(effect: Effect.Effect<A, { readonly _tag: string }>) =>
  Effect.match(effect, { onSuccess: () => "sent", onFailure: ({ _tag }) => _tag })

describe("a connection", () => {
  for (const when of ["a call fails by it", "it is told"] as const) {
    it.effect(`that is lost is not open, and takes no notification, already when ${when}`, () =>
      Effect.gen(function*() {
        const lost = yield* Deferred.make<never, Transport.TransportError>()
        const peer = yield* Peer.make({ receive: Deferred.await(lost), send: () => Effect.void, close: Effect.void })
        const hearing = when === "it is told" ? peer.disconnected : Effect.flip(peer.request("m"))
        const seen = yield* started(Effect.gen(function*() {
          yield* hearing
          const isOpen = (yield* peer.state) === "open"
          const request = yield* inWords(peer.request("m"))
          const notify = yield* inWords(peer.notify("n"))
          const batch = yield* inWords(peer.batch([{ method: "n", notification: true }]))
          return { isOpen, request, notify, batch }
        }))
        yield* settle
        yield* Deferred.fail(lost, Transport.transportError({ _tag: "Lost", cause: "reset" }))
        yield* settle
        assert.isDefined(seen.pollUnsafe())
        assert.deepStrictEqual(yield* Fiber.join(seen), {
          isOpen: false,
          request: "Disconnected",
          notify: "Disconnected",
          batch: "Disconnected"
        })
      }))
  }
})

it.effect("promise 9: closing ends every call with Disconnected, and closes the transport once, also where that ends the last handler", () =>
  Effect.gen(function*() {
    const cut = yield* Deferred.make<void>()
    const budget = Budget.make(1_000_000)
    let closed = 0
    let read = 0
    const transport = {
      receive: Effect.suspend(() => read++ === 0 ? Effect.succeed([notification("n")] as const) : Effect.never),
      send: () =>
        Effect.andThen(Deferred.await(cut), Effect.fail(Transport.transportError({ _tag: "Lost", cause: "cut" }))),
      close: Effect.sync(() => void closed++)
    }
    const router = yield* routerOf({ n: () => Effect.never })
    const peer = yield* Effect.provideService(Peer.make(transport, { router }), Budget.Budget, budget)
    const call = yield* started(Effect.exit(peer.request("m", ["x".repeat(1_000)])))
    yield* settle
    yield* Deferred.succeed(cut, undefined)
    yield* Fiber.join(call)
    yield* peer.closed
    yield* settle
    assert.strictEqual(closed, 1)
    assert.strictEqual(budget.taken(), 0)
  }))
