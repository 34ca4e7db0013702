/**
 * The context of the fiber that added a handler replaced that of each call: log lines of a call had the annotations of the
 * start of the program, and lost those of their connection.
 */
import { assert, describe, it } from "@effect/vitest"
import { Peer, Router } from "@parley/peer"
import { MemoryTransport } from "@parley/transport"
import { Budget } from "@parley/transport/shared"
import { Context, Effect, Layer, Logger, References } from "effect"

const Tenant = Context.Reference<string>("test/Tenant", { defaultValue: () => "nobody" })

interface Line {
  readonly annotations: unknown
  readonly spans: ReadonlyArray<string>
}

describe("the context of a handler", () => {
  it.effect("has the annotations and the spans of the connection, not those of the fiber that added it", () =>
    Effect.gen(function*() {
      const lines: Array<Line> = []
      const logger = Logger.make(({ fiber }) => {
        lines.push({
          annotations: fiber.getRef(References.CurrentLogAnnotations),
          spans: fiber.getRef(References.CurrentLogSpans).map(([label]) => label)
        })
      })
      const router = yield* Router.make()
      yield* router.add("log", () => Effect.andThen(Effect.yieldNow, Effect.log("in the handler"))).pipe(
        Effect.annotateLogs("startup", "yes"),
        Effect.withLogSpan("starting")
      )
      const [near, far] = yield* MemoryTransport.makePair()
      yield* Peer.make(far, { router }).pipe(
        Effect.annotateLogs("connection", "7"),
        Effect.withLogSpan("connected"),
        Effect.provide(Logger.layer([logger]))
      )
      const peer = yield* Peer.make(near)
      yield* peer.request("log")
      assert.deepStrictEqual(lines, [{ annotations: { connection: "7" }, spans: ["connected"] }])
    }))

  it.effect("has the references that its own Layer provides", () =>
    Effect.gen(function*() {
      const handlers = Layer.effectDiscard(
        Effect.flatMap(Router.Router, (router) => router.add("tenant", () => Effect.andThen(Effect.yieldNow, Tenant)))
      ).pipe(Layer.provide(Layer.succeed(Tenant, "acme")))
      const router = Context.get(yield* Layer.build(Router.layer(handlers)), Router.Router)
      const [near, far] = yield* MemoryTransport.makePair()
      yield* Peer.make(far, { router }).pipe(Effect.provideService(Tenant, "of the connection"))
      const peer = yield* Peer.make(near)
      assert.strictEqual(yield* peer.request("tenant"), "acme")
    }))

  it.effect("has the share of its connection", () =>
    Effect.gen(function*() {
      const [ofProgram, ofConnection] = [Budget.make(1_000_000), Budget.make(2_000_000)]
      const found: Array<number | undefined> = []
      const router = yield* Router.make()
      yield* router.add("look", () =>
        Effect.andThen(Effect.yieldNow, Effect.map(Budget.Budget, (budget) => void found.push(budget?.limit)))).pipe(
          Effect.provideService(Budget.Budget, ofProgram)
        )
      const [near, far] = yield* MemoryTransport.makePair()
      yield* Peer.make(far, { router }).pipe(Effect.provideService(Budget.Budget, ofConnection))
      const peer = yield* Peer.make(near)
      yield* peer.request("look")
      assert.deepStrictEqual(found, [2_000_000])
    }))
})
