/** A notification to a connection that was lost succeeded, and the connection called itself open. */
import { assert, describe, it } from "@effect/vitest"
import * as TransportError from "@parley/transport/TransportError"
import { Deferred, Effect, Fiber } from "effect"
import { Peer } from "../../src/index.ts"
import { settle } from "../wire.ts"

const started = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

const inWords = <A>(effect: Effect.Effect<A, { readonly _tag: string }>) =>
  Effect.match(effect, { onSuccess: () => "sent", onFailure: ({ _tag }) => _tag })

describe("a connection", () => {
  for (const when of ["a call fails by it", "it is told"] as const) {
    it.effect(`that is lost is not open, and takes no notification, already when ${when}`, () =>
      Effect.gen(function*() {
        const lost = yield* Deferred.make<never, TransportError.TransportError>()
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
        yield* Deferred.fail(lost, TransportError.make({ _tag: "Lost", cause: "reset" }))
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
