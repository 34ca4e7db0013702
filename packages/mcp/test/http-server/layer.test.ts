import { assert, describe, it } from "@effect/vitest"
import * as EventStore from "@parley/mcp/http/EventStore"
import * as SessionStore from "@parley/mcp/http/SessionStore"
import * as McpHttp from "@parley/mcp/McpHttp"
import * as McpServer from "@parley/mcp/McpServer"
import { Effect, Fiber, Layer, Queue } from "effect"
import { HttpRouter } from "effect/http"
import { sample } from "./support/sample.ts"
import * as web from "./support/web.ts"

describe("a layer of an HttpRouter", () => {
  it.effect("serves at its path, and uses the stores that are there", () =>
    Effect.gen(function*() {
      const used: Array<string> = []
      const events = EventStore.makeMemory()
      const stores = Layer.mergeAll(
        Layer.succeed(SessionStore.SessionStore, {
          get: () => Effect.succeedNone,
          put: () => Effect.sync(() => void used.push("session")),
          remove: () => Effect.void
        }),
        Layer.succeed(EventStore.EventStore, {
          ...events,
          put: (session, event) =>
            Effect.andThen(Effect.sync(() => void used.push("event")), events.put(session, event))
        })
      )
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
