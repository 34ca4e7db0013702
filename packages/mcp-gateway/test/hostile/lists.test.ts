import { assert, describe, it } from "@effect/vitest"
import * as McpGateway from "@parley/mcp-gateway/McpGateway"
import * as McpResource from "@parley/mcp/McpResource"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import * as Content from "@parley/mcp/payload/Content"
import { Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { clientAs, gatewayOf, made, names, reach, settled } from "../support/gateways.ts"
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
  const client = yield* clientAs(gateway, "ada", { protocolVersion: near, handlers: { roots: Effect.succeed([]) } })
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

describe("a call of a tool that only one principal has", () => {
  for (const { far, near } of pairs) {
    it.effect(`waits for the lists of the principal, also while those of another do not come: ${named({ far, near })}`, () =>
      Effect.gen(function*() {
        const all = yield* Effect.forEach([
          { features: [tool("hi")] },
          { features: [tool("hi")], visible: () => Effect.never },
          { features: [tool("hi"), tool("mine")] }
        ], (options) => McpServer.make({ name: "far", version: "1", ...options }))
        const servers = all.values()
        const gateway = yield* McpGateway.make({
          name: "gateway",
          version: "1",
          servers: { far: { connect: (options) => reach(servers.next().value ?? all[0]!, far)(options) } }
        })
        yield* settled
        const handlers = { roots: Effect.succeed([]) }
        const eve = yield* clientAs(gateway, "eve", { protocolVersion: near, handlers })
        const listing = yield* Effect.forkChild(eve.listTools())
        yield* settled
        yield* TestClock.adjust("5 seconds")
        yield* Fiber.join(listing)
        const ada = yield* clientAs(gateway, "ada", { protocolVersion: near, handlers })
        const { content } = yield* ada.callTool("far_mine")
        assert.deepStrictEqual(content, [Content.text("mine")])
      }))
  }

  it.effect("waits for the lists of the principal, also after the server was slow to start", () =>
    Effect.gen(function*() {
      const servers = (yield* Effect.forEach([["hi"], ["hi", "mine"]], (own) => made("far", own.map(tool)))).values()
      let start = 6
      const gateway = yield* McpGateway.make({
        name: "gateway",
        version: "1",
        servers: {
          far: {
            connect: (options) =>
              Effect.flatMap(
                Effect.sleep(`${start} seconds`),
                () => reach(servers.next().value!, "2025-11-25")(options)
              )
          }
        }
      })
      const handlers = { roots: Effect.succeed([]) }
      const client = yield* clientAs(gateway, "eve")
      const listing = yield* Effect.forkChild(client.listTools())
      yield* settled
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(yield* Fiber.join(listing), [])
      yield* TestClock.adjust("1 second")
      yield* settled
      start = 1
      const ada = yield* clientAs(gateway, "ada", { handlers })
      const calling = yield* Effect.forkChild(ada.callTool("far_mine"))
      yield* settled
      yield* TestClock.adjust("1 second")
      assert.isUndefined((yield* Fiber.join(calling)).isError)
    }))
})

describe("a server whose lists change all the time", () => {
  /** How long each of ten reads of another server's resource takes, each after another change of the lists. */
  const delays = Effect.fnUntraced(function*(millis: number) {
    const good = yield* made("good", [
      McpResource.template("memo://{x}/{y}", { name: "t" }, () => Effect.succeed("good"))
    ])
    let delay = 0
    const evil = yield* McpServer.make({
      name: "evil",
      version: "1",
      features: [McpResource.make("evil://a", { name: "a" }, () => Effect.succeed("evil"))],
      visible: ({ info }) => info.name === "a" ? Effect.as(Effect.sleep(delay), true) : true
    })
    const gateway = yield* gatewayOf({ good, evil }, "2025-11-25")
    yield* settled
    const client = yield* clientAs(gateway, undefined, { protocolVersion: "2025-11-25" })
    yield* client.listResources()
    delay = millis
    const passed: Array<number> = []
    for (let n = 0; n < 10; n++) {
      yield* evil.add([McpResource.make(`evil://${n}`, { name: "b" }, () => Effect.succeed("evil"))])
      yield* settled
      const reading = yield* Effect.forkChild(client.readResource("memo://b/c"))
      let time = 0
      for (yield* settled; reading.pollUnsafe() === undefined; yield* settled) {
        yield* TestClock.adjust("100 millis")
        time += 100
      }
      yield* Fiber.join(reading)
      passed.push(time)
    }
    return passed
  })

  // A list that takes more than four seconds is not waited for again.
  for (const [millis, altogether] of [[4_900, 4_000], [2_500, 5_000], [1_000, 5_000]] as const) {
    it.effect(`holds up reads from another for ${altogether} ms in a minute altogether, by ${millis} ms each time`, () =>
      Effect.gen(function*() {
        const passed = yield* delays(millis)
        assert.strictEqual(passed.reduce((sum, time) => sum + time, 0), altogether)
      }))
  }

  it.effect("is waited for each time where that takes less than a second", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(new Set(yield* delays(900)), new Set([900]))
    }))
})
