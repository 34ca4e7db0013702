/** What waited because texts piled up went on only when something else came in. */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { Peer, Session } from "../../src/index.ts"
import { request, routerOf, settle } from "../wire.ts"

it.effect("promise 18: callers suspend on a full outbox, and calls held back by it start when it is written", () =>
  Effect.gen(function*() {
    const gate = yield* Deferred.make<void>()
    const sent: Array<string> = []
    const text = "x".repeat(100)
    let reads = 0
    let served = 0
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
      router: yield* routerOf({
        echo: (call) => {
          served++
          return Effect.succeed(call.params ?? null)
        }
      }),
      limits: { outbox: 150, drain: 0 }
    })
    yield* settle
    assert.strictEqual(served, 2)
    yield* Deferred.succeed(gate, undefined)
    yield* settle
    assert.strictEqual(sent.length, 3)
  }))

it.effect("promise 22: when nothing moves, nothing waits that could move: nor a text behind replies that are written", () =>
  Effect.gen(function*() {
    const sent: Array<string> = []
    const text = "x".repeat(100)
    let reads = 0
    // The replies to the first two fill what may wait, the next two fill the inbox, and the last has no room.
    const chunk = [
      request(1, "echo", [text]),
      request(2, "echo", [text]),
      request(3, "hang"),
      request(4, "hang"),
      request(5, "echo", ["last"])
    ] as const
    yield* Peer.make({
      receive: Effect.suspend(() => reads++ === 0 ? Effect.succeed(chunk) : Effect.never),
      send: (texts) => {
        sent.push(...texts)
        return Effect.void
      },
      close: Effect.void
    }, {
      router: yield* routerOf({ echo: (call) => Effect.succeed(call.params ?? null), hang: () => Effect.never }),
      limits: { outbox: 150, inbox: 2, batch: 2, drain: 0 }
    })
    yield* settle
    assert.deepStrictEqual(sent.map((text) => JSON.parse(text).id), [1, 2, 5])
  }))

it.effect("promise 22: when nothing moves, nothing waits that could move: nor a notification for its turn on a lane", () =>
  Effect.gen(function*() {
    const sent: Array<string> = []
    const gate = yield* Deferred.make<void>()
    const session = yield* Session.make({ router: yield* routerOf({}) })
    const caller = session.caller({
      send: (text) => Effect.andThen(Deferred.await(gate), Effect.sync(() => void sent.push(JSON.parse(text).method)))
    })
    for (const method of ["first", "second", "third"]) yield* Effect.forkChild(caller.notify(method))
    yield* settle
    yield* Deferred.succeed(gate, undefined)
    yield* settle
    assert.deepStrictEqual(sent, ["first", "second", "third"])
  }))
