import { assert, describe, it } from "@effect/vitest"
import * as SessionStore from "@parley/mcp/http/SessionStore"
import * as McpHttp from "@parley/mcp/McpHttp"
import * as McpServer from "@parley/mcp/McpServer"
import { Journal } from "@parley/mesh/Journal"
import * as MemoryNodes from "@parley/mesh/MemoryNodes"
import { Context, Effect, Fiber, Layer, Queue } from "effect"
import { HttpRouter } from "effect/http"
import { sample } from "./support/sample.ts"
import * as web from "./support/web.ts"

/** Stores that remember what they were used for. */
const watched = Effect.map(MemoryNodes.makeJournal(), (journal) => {
  const used: Array<string> = []
  const stores = Layer.mergeAll(
    Layer.succeed(SessionStore.SessionStore, {
      get: () => Effect.succeedNone,
      fence: () => Effect.void,
      put: () => Effect.sync(() => used.push("session") > 0),
      remove: () => Effect.succeed(true)
    }),
    Layer.succeed(Journal, {
      ...journal,
      append: (...entry) => Effect.andThen(Effect.sync(() => void used.push("event")), journal.append(...entry))
    })
  )
  return { used, stores }
})

describe("a layer of an HttpRouter", () => {
  it.effect("serves at its path, and uses the stores that are there", () =>
    Effect.gen(function*() {
      const { stores, used } = yield* watched
      const { server, waiting } = yield* sample
      const served = McpHttp.layer({ path: "/here" }).pipe(
        Layer.provide(stores),
        Layer.provide(Layer.succeed(McpServer.McpServer, server))
      )
      const { dispose, handler } = HttpRouter.toWebHandler(served, { disableLogger: true })
      yield* Effect.addFinalizer(() => Effect.promise(dispose))
      const visitor = yield* web.visit(web.over("http://localhost/here", (request) => handler(request)))
      const call = yield* Effect.forkChild(visitor.post(web.call("wait", { name: "a" })))
      const { finish, tell } = yield* Queue.take(waiting)
      tell("one")
      finish("two")
      const { read } = yield* Fiber.join(call)
      assert.strictEqual((yield* read.message).params?.["data"], "one")
      assert.sameMembers([...new Set(used)], ["session", "event"])
      const elsewhere = yield* web.over("http://localhost/mcp", (request) => handler(request)).post(web.handshake("x"))
      assert.strictEqual(elsewhere.status, 404)
    }))
})

describe("an endpoint without a layer", () => {
  const ask = Effect.fnUntraced(function*(client: web.Client) {
    const visitor = yield* web.visit(client, "2025-11-25", { elicitation: {} })
    const answer = yield* visitor.post(web.call("name"))
    yield* answer.read.message
  })

  it.effect("uses the stores that are there", () =>
    Effect.gen(function*() {
      const { stores, used } = yield* watched
      yield* ask(yield* Effect.provide(web.open(), stores))
      assert.sameMembers([...new Set(used)], ["session", "event"])
    }))

  it.effect("uses those of its options rather than the ones that are there", () =>
    Effect.gen(function*() {
      const { stores, used } = yield* watched
      const own = yield* watched
      const context = yield* Layer.build(own.stores)
      const store = Context.get(context, SessionStore.SessionStore)
      const journal = Context.get(context, Journal)
      yield* ask(yield* Effect.provide(web.open({ store, journal }), stores))
      assert.deepStrictEqual(used, [])
      assert.sameMembers([...new Set(own.used)], ["session", "event"])
    }))
})
