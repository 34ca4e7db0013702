/** Methods whose handlers call the other side back, where they are served and where nobody could be called. */
import { assert, describe, it } from "@effect/vitest"
import { Peer, Router } from "@parley/peer"
import { MemoryTransport } from "@parley/transport"
import { Effect, Layer, Option, Schema, Stream } from "effect"
import { Contract, Method, Notification, Subscription } from "../src/index.ts"
import { failure, logging, notification, parsed, request, routerOf } from "./wire.ts"

const Editor = Contract.make("Editor", { ask: Method.make({ params: [Schema.String], result: Schema.Boolean }) })

class Asking extends Contract.make("Asking", {
  rename: Method.make({ params: { to: Schema.String }, result: Schema.Boolean, callsBack: true }),
  saved: Notification.make({ callsBack: true }),
  answers: Subscription.make({ item: Schema.Boolean, callsBack: true }),
  count: Method.make({ result: Schema.Int })
}) {}

const served = (saved: () => void) =>
  routerOf(
    Asking.toLayer({
      rename: ({ to }, { peer }) => Effect.orDie(Editor.client(peer).ask([to])),
      saved: (_, { peer }) => Effect.andThen(Effect.orDie(Editor.client(peer).ask(["saved"])), Effect.sync(saved)),
      answers: (_, { peer }) => Stream.fromEffect(Effect.orDie(Editor.client(peer).ask(["answers"]))),
      count: () => Effect.succeed(1)
    }).pipe(Layer.provide(Router.layerCallsBack))
  )

describe("a method that calls back", () => {
  it.effect("is served over a connection", () =>
    Effect.gen(function*() {
      const asked: Array<string> = []
      const [near, far] = yield* MemoryTransport.makePair()
      const limits = { drain: 0 }
      yield* Peer.make(far, { router: yield* served(() => asked.push("told")), limits })
      const router = yield* routerOf(Editor.toLayer({
        ask: ([question]) => Effect.sync(() => asked.push(question) > 0)
      }))
      const asking = Asking.client(yield* Peer.make(near, { router, limits }))
      assert.isTrue(yield* asking.rename({ to: "b" }))
      yield* asking.saved()
      assert.deepStrictEqual(yield* Stream.runCollect(asking.answers()), [true])
      // A handler that waits for the other side holds back nothing.
      assert.sameMembers(asked, ["b", "saved", "told", "answers"])
    }))

  it.effect("is refused where a text is answered by itself, and others are served", () =>
    logging((lines) =>
      Effect.gen(function*() {
        const router = yield* served(() => assert.fail("it must not run"))
        const answer = (text: string) => Effect.map(router.answer(text), Option.map(parsed))
        const refused = (id: number) =>
          Option.some(parsed(failure(id, -32000, "Methods that call back need a connection")))
        assert.deepStrictEqual(yield* answer(request(1, "rename", { to: "b" })), refused(1))
        assert.deepStrictEqual(yield* answer(request(2, "answers")), refused(2))
        assert.isTrue(Option.isNone(yield* answer(notification("saved"))))
        assert.include(yield* answer(request(3, "count")).pipe(Effect.map(Option.getOrThrow)), { id: 3, result: 1 })
        assert.isTrue(lines.some((line) => line.includes("saved") && line.includes("need a connection")), lines.join())
      })
    ))
})
