/** Calls that waited because replies piled up were started only when something else came in. */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { Peer } from "../../src/index.ts"
import { request, routerOf, settle } from "../wire.ts"

it.effect("promise 18: callers suspend on a full outbox, and calls held back by it start when it is written", () =>
  Effect.gen(function*() {
    const gate = yield* Deferred.make<void>()
    const sent: Array<string> = []
    const text = "x".repeat(100)
    let reads = 0
    yield* Peer.make({
      receive: Effect.suspend(() =>
        reads++ === 0
          ? Effect.succeed(
            [request(1, "echo", [text]), request(2, "echo", [text]), request(3, "echo", [text])] as const
          )
          : Effect.never
      ),
      send: (texts) => Effect.andThen(Deferred.await(gate), Effect.sync(() => void sent.push(...texts))),
      close: Effect.void
    }, {
      router: yield* routerOf({ echo: (call) => Effect.succeed(call.params ?? null) }),
      limits: { outbox: 150, drain: 0 }
    })
    yield* settle
    yield* Deferred.succeed(gate, undefined)
    yield* settle
    assert.strictEqual(sent.length, 3)
  }))
