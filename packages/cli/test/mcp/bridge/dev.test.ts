import { assert, describe, it } from "@effect/vitest"
import type * as McpClient from "@parley/mcp/McpClient"
import * as McpError from "@parley/mcp/wire/McpError"
import { Effect, Fiber, Queue, Stream } from "effect"
import * as developed from "./developed.ts"

const isSlow = process.env["SLOW"] === "1"

const inFlight = 64

const names = (client: McpClient.McpClient) => Effect.map(client.listTools(), (tools) => tools.map(({ name }) => name))

const near = ["2025-11-25", "2026-07-28"] as const
const far = ["legacy", "modern"] as const

const pairs = near.flatMap((protocolVersion) => far.map((era) => ({ protocolVersion, era })))
const places = pairs.flatMap((pair) => (["stdio", "http"] as const).map((wire) => ({ ...pair, wire })))

/** A modern server over HTTP, without the slow tests. */
const somePlaces = isSlow ? places : places.slice(-1)

/** How often a server is started again under load, by the pair of eras. */
const restarts = pairs.map((pair, index) => ({ ...pair, times: index > 0 ? 25 : isSlow ? 500 : 10 })).slice(
  0,
  isSlow ? 4 : 1
)

describe("parley mcp dev", () => {
  it.live.each(somePlaces)(
    "keeps its client when the server changes, and tells it of lists that differ: %j",
    ({ era, protocolVersion, wire }) =>
      Effect.gen(function*() {
        const folder = yield* developed.folder
        const dev = yield* developed.started(wire, era, folder)
        const client = yield* dev.connect({ protocolVersion })
        assert.deepStrictEqual(yield* names(client), ["now", "wait", "ask", "die"])
        const heard = yield* Queue.unbounded<string>()
        yield* Effect.forkScoped(
          Stream.runForEach(client.changes, (event) =>
            Queue.offer(heard, event._tag === "ListChanged" ? event.list : event._tag))
        )
        const updates = yield* Queue.unbounded<string>()
        yield* Effect.forkScoped(
          Stream.runForEach(client.subscribe("count://now"), ({ _tag }) =>
            Queue.offer(updates, _tag))
        )
        assert.strictEqual(yield* Queue.take(updates), "Subscribed")
        assert.strictEqual(yield* Queue.take(heard), "Subscribed")
        yield* folder.tools("now", "wait", "later")
        yield* dev.said("has changed")
        assert.deepStrictEqual(yield* names(client), ["now", "wait", "later"])
        // Of the lists, only that of tools differs. The resource that is listened to may have changed with the server.
        assert.strictEqual(yield* Queue.take(heard), "tools")
        assert.strictEqual(yield* Queue.take(updates), "Updated")
        yield* dev.said("ready")
        yield* folder.tools("now", "wait", "later")
        yield* dev.said("ready")
        yield* client.callTool("now")
        assert.deepStrictEqual(yield* Queue.clear(heard), [])
        assert.strictEqual(client.protocolVersion, protocolVersion)
      }),
    60_000
  )

  it.live.each(restarts)(
    `tells each of ${inFlight} calls in flight at once, and runs none twice: %j`,
    ({ era, protocolVersion, times }) =>
      Effect.gen(function*() {
        const folder = yield* developed.folder
        const dev = yield* developed.started("stdio", era, folder)
        const handlers = { elicit: () => Effect.never }
        const client = yield* dev.connect({ protocolVersion, handlers, timeout: "10 minutes", maxTimeout: "1 hour" })
        yield* names(client)
        for (let time = 0; time < times; time++) {
          const calls = yield* Effect.forEach(
            Array.from({ length: inFlight }, (_, index) => `${time}-${index}`),
            (key) =>
              Effect.forkChild(
                Effect.flip(
                  client.callTool(
                    era === "legacy" && protocolVersion === "2025-11-25" && index(key) % 8 === 0 ? "ask" : "wait",
                    { key }
                  )
                )
              )
          )
          yield* Effect.suspend(() =>
            folder.calls().length === (time + 1) * inFlight ? Effect.void : Effect.fail("fewer")
          ).pipe(
            Effect.eventually
          )
          yield* folder.tools("now", "wait", "ask", `tool${time}`)
          yield* dev.said("told")
          const before = Date.now()
          const errors = yield* Effect.forEach(calls, Fiber.join)
          if (isSlow) assert.isBelow(Date.now() - before, 1_000)
          for (const error of errors) {
            assert.propertyVal(error, "code", McpError.UpstreamFailed)
            assert.include(developed.textOf(error), "restarted because tools.json has changed")
          }
          assert.include(yield* names(client), `tool${time}`)
        }
        const keys = folder.calls().map((line) => line.split(" ")[0])
        assert.strictEqual(new Set(keys).size, keys.length)
        assert.lengthOf(keys, times * inFlight)
      }),
    1_200_000
  )

  it.live(
    "says why a server does not start, in its instructions and in each call, until it starts again",
    () =>
      Effect.gen(function*() {
        const folder = yield* developed.folder
        yield* folder.tools("broken")
        const dev = yield* developed.started("http", "legacy", folder)
        const client = yield* dev.connect()
        assert.include(client.instructions ?? "", "SyntaxError: the tools are broken")
        assert.deepStrictEqual(yield* names(client), [])
        const error = yield* Effect.flip(client.callTool("now"))
        assert.include(developed.textOf(error), "SyntaxError: the tools are broken")
        assert.include(developed.textOf(error), "code 3")
        yield* folder.tools("now")
        yield* dev.said("ready")
        assert.deepStrictEqual(yield* names(client), ["now"])
        yield* client.callTool("now", { key: "a" })
        const again = yield* dev.connect()
        assert.isUndefined(again.instructions)
        assert.deepStrictEqual(again.serverInfo, { name: "counting", version: "1" })
      }),
    60_000
  )
})

const index = (key: string): number => Number(key.split("-")[1])
