import { assert, describe, it } from "@effect/vitest"
import { StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { McpError } from "@modelcontextprotocol/sdk/types.js"
import * as MemoryNodes from "@parley/mesh/MemoryNodes"
import { Deferred, Effect, Fiber, Queue } from "effect"
import { sample } from "../http-server/support/sample.ts"
import { hearing } from "./support/foreign.ts"
import * as officialV1 from "./support/officialV1.ts"
import * as officialV2 from "./support/officialV2.ts"
import * as places from "./support/places.ts"
import { tapped } from "./support/tapped.ts"

const text = (text: string) => [{ type: "text", text }]

/** A server whose clients come back soon. */
const served = Effect.flatMap(places.server, (server) => places.hosted(server, { retry: "10 millis" }))

const statusOf = (error: unknown) => error instanceof StreamableHTTPError ? error.code : error

describe("sessions of the official SDK's client with our server over HTTP", () => {
  it.live("have an id, which every request after the first carries, and end with DELETE", () =>
    Effect.gen(function*() {
      const url = yield* served
      const tap = tapped()
      const transport = officialV1.http(url, { fetch: tap.fetch })
      const foreign = yield* officialV1.connect(transport)
      const id = transport.sessionId
      assert.isString(id)
      yield* foreign.callTool("echo", { text: "a" })
      const [first, ...others] = tap.requests
      assert.notProperty(first?.headers, "mcp-session-id")
      for (const { headers, method } of others) {
        assert.deepInclude(headers, { "mcp-session-id": id, "mcp-protocol-version": "2025-11-25" }, method)
      }
      yield* Effect.promise(() => transport.terminateSession())
      assert.strictEqual(tap.requests.at(-1)?.method, "DELETE")

      const late = officialV1.http(url, { sessionId: id ?? "" })
      const again = yield* officialV1.connect(late)
      assert.strictEqual(statusOf(yield* Effect.flip(again.callTool("echo", { text: "b" }))), 404)
    }))

  it.live("that were never begun are not there", () =>
    Effect.gen(function*() {
      const url = yield* served
      for (const sessionId of ["never", "b7a9f7c4-8d64-4e2c-9a5c-0d1f5a0c9f10"]) {
        const foreign = yield* officialV1.connect(officialV1.http(url, { sessionId }))
        assert.strictEqual(statusOf(yield* Effect.flip(foreign.ping)), 404)
      }
    }))

  it.live("go on when the server closes the stream of a call", () =>
    Effect.gen(function*() {
      const tap = tapped()
      const foreign = yield* officialV1.connect(officialV1.http(yield* served, { fetch: tap.fetch }))
      const { logs: heard } = yield* hearing
      const result = yield* foreign.callTool("cut", { name: "closed" }, {
        onProgress: (progress) => void Queue.offerUnsafe(heard, progress)
      })
      assert.deepStrictEqual(result.content, text("all of it"))
      assert.deepStrictEqual(yield* Queue.take(heard), { progress: 1, total: 2, message: "before the cut" })
      assert.isAbove(tap.resumptions().length, 0)
    }))

  it.live("go on when the stream of a call is broken off, without loss", () =>
    Effect.gen(function*() {
      const tap = tapped()
      const foreign = yield* officialV1.connect(officialV1.http(yield* served, { fetch: tap.fetch }))
      const { logs: heard } = yield* hearing
      const counting = yield* Effect.forkChild(foreign.callTool("count", { to: 3, until: "broken off" }, {
        onProgress: (progress) => void Queue.offerUnsafe(heard, progress)
      }))
      yield* Queue.takeN(heard, 3)
      tap.breakOff("POST")
      yield* foreign.callTool("happen", { name: "broken off" })
      assert.deepStrictEqual((yield* Fiber.join(counting)).content, text("3 steps"))
      assert.strictEqual(tap.resumptions().length, 1)
    }))

  it.live("have a call that waits for a stream of which a part is gone ended at once", () =>
    Effect.gen(function*() {
      const { server, waiting } = yield* sample
      const whole = yield* MemoryNodes.makeJournal({ weight: 100 })
      const appended = yield* Queue.unbounded<string>()
      const append: typeof whole.append = (key, text, epoch) =>
        Effect.tap(whole.append(key, text, epoch), () => Effect.sync(() => Queue.offerUnsafe(appended, text)))
      const url = yield* places.hosted(server, { journal: { ...whole, append }, retry: "10 millis" })
      const tap = tapped()
      const isGone = yield* Deferred.make<void>()
      const transport = officialV1.http(url, {
        fetch: async (url, init) => {
          if (new Headers(init?.headers).has("last-event-id")) await Effect.runPromise(Deferred.await(isGone))
          return tap.fetch(url, init)
        }
      })
      const foreign = yield* officialV1.connect(transport)
      const calling = yield* Effect.forkChild(Effect.flip(foreign.callTool("wait", { name: "a" })))
      const { finish, tell } = yield* Queue.take(waiting)
      tell("one")
      yield* Queue.take(foreign.heard.logs)
      tap.breakOff("POST")
      tell("two")
      finish("three")
      while (!(yield* Queue.take(appended)).includes("three"));
      yield* Deferred.succeed(isGone, undefined)
      const error = yield* Fiber.join(calling)
      assert.strictEqual(error instanceof McpError ? error.code : error, -31_005)
    }))

  it.live("hear of what changed while their stream was broken", () =>
    Effect.gen(function*() {
      const tap = tapped()
      const foreign = yield* officialV1.connect(officialV1.http(yield* served, { fetch: tap.fetch }))
      const { changes, updates } = foreign.heard
      yield* foreign.subscribe("text://greeting")
      yield* foreign.callTool("touch", { uri: "text://greeting" })
      assert.strictEqual(yield* Queue.take(updates), "text://greeting")
      tap.breakOff("GET")
      yield* foreign.callTool("touch", { uri: "text://greeting" })
      yield* foreign.callTool("grow")
      assert.strictEqual(yield* Queue.take(updates), "text://greeting")
      assert.deepStrictEqual((yield* Queue.takeN(changes, 3)).toSorted(), ["prompts", "resources", "tools"])
      assert.strictEqual(tap.resumptions().length, 1)
    }))

  it.live("end for version 2 with DELETE, too, and its modern requests have none", () =>
    Effect.gen(function*() {
      const url = yield* served
      const legacy = officialV2.http(url)
      yield* officialV2.connect(legacy, "legacy")
      assert.isString(legacy.sessionId)
      yield* Effect.promise(() => legacy.terminateSession())
      assert.isUndefined(legacy.sessionId)
      const modern = officialV2.http(url)
      const foreign = yield* officialV2.connect(modern, "auto")
      assert.deepStrictEqual([foreign.era, modern.sessionId], ["modern", undefined])
      assert.deepStrictEqual((yield* foreign.callTool("echo", { text: "a" })).content, text("a"))
    }))
})
