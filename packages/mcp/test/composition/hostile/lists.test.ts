import { assert, describe, it } from "@effect/vitest"
import * as McpGateway from "@parley/mcp/gateway/McpGateway"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import { Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { clientAs, names, reach, settled } from "../support/gateways.ts"
import { named, pairs } from "../support/pairs.ts"

const tool = (name: string) => McpTool.make(name, {}, () => Effect.succeed(name))

/** How a server lists what it offers on all connections but its first. */
type Mode = "silent" | "failing" | "listing"

/** A client of a gateway before a server whose lists it has waited for in vain, and which lists again when they change. */
const waited = Effect.fnUntraced(function*({ far, near }: typeof pairs[number], own: ReadonlyArray<McpServer.Feature>) {
  let mode: Mode = "silent"
  const seen = { lists: 0, told: 0 }
  const first = yield* McpServer.make({ name: "far", version: "1", features: [tool("hi")] })
  const later = yield* McpServer.make({
    name: "far",
    version: "1",
    features: own,
    visible: () =>
      Effect.suspend(() => {
        seen.lists++
        return mode === "silent" ? Effect.never : mode === "failing" ? Effect.die("no room") : Effect.succeed(true)
      })
  })
  let connections = 0
  const gateway = yield* McpGateway.make({
    name: "gateway",
    version: "1",
    servers: { far: { connect: (options) => reach(connections++ === 0 ? first : later, far)(options) } }
  })
  yield* settled
  const client = yield* clientAs(gateway, "ada", { revision: near, handlers: { roots: Effect.succeed([]) } })
  const listing = yield* Effect.forkChild(client.listTools())
  yield* settled
  yield* TestClock.adjust("5 seconds")
  assert.deepStrictEqual(names(yield* Fiber.join(listing)), ["far_hi"])
  yield* Effect.forkScoped(
    Stream.runForEach(client.changes, () => Effect.suspend(() => ++seen.told > 100 ? Effect.never : client.listTools()))
  )
  yield* settled
  return {
    client,
    seen,
    become: (next: Mode) =>
      Effect.suspend(() => {
        mode = next
        Object.assign(seen, { lists: 0, told: 0 })
        return Effect.andThen(TestClock.adjust("130 seconds"), settled)
      })
  }
})

describe("lists of a server behind that come late", () => {
  for (const pair of pairs) {
    it.effect(`are no change where they fail: ${named(pair)}`, () =>
      Effect.gen(function*() {
        const { become, client, seen } = yield* waited(pair, [tool("hi")])
        yield* become("failing")
        for (let n = 0; n < 3; n++) yield* client.listTools()
        for (let n = 0; n < 10; n++) yield* settled
        assert.strictEqual(seen.told, 0)
        // One list of the connection that was waited for, and one for each of ours at most.
        assert.isAtMost(seen.lists, 4)
      }))
  }

  for (const own of [["hi"], ["hi", "mine"]]) {
    const isOther = own.length > 1
    it.effect(`are told of ${isOther ? "where they are others than were shown" : "to nobody who was shown the same"}`, () =>
      Effect.gen(function*() {
        for (const pair of pairs) {
          const { become, client, seen } = yield* waited(pair, own.map(tool))
          yield* become("listing")
          yield* client.listTools()
          for (let n = 0; n < 10; n++) yield* settled
          assert.deepStrictEqual(names(yield* client.listTools()), own.map((name) => `far_${name}`))
          assert.strictEqual(seen.told > 0, isOther, named(pair))
          assert.isBelow(seen.told, 10)
        }
      }))
  }
})
