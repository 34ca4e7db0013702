/** One generation of a server after the other, in this process. */
import { assert, describe, it } from "@effect/vitest"
import type * as McpClient from "@parley/mcp/McpClient"
import * as McpMemoryClient from "@parley/mcp/McpMemoryClient"
import * as McpServer from "@parley/mcp/McpServer"
import { Effect, Queue, Stream } from "effect"
import * as Bridge from "../../../../src/internal/mcp/bridge/Bridge.ts"
import * as Generations from "../../../../src/internal/mcp/bridge/development/Generations.ts"
import * as developed from "../developed.ts"

/** A server under development, with what is said of it, its clients, and its changes. */
const developing = (era: developed.Era, folder: developed.Folder) =>
  Effect.gen(function*() {
    const changes = yield* Queue.unbounded<string>()
    const said: Array<string> = []
    const shown = yield* Queue.unbounded<string>()
    const behind = yield* Generations.make({
      wire: developed.wireOf(developed.server(era, folder)),
      narrator: {
        say: (sentence) => Effect.sync(() => said.push(sentence)),
        show: (line) => void Queue.offerUnsafe(shown, line),
        stray: () => {}
      },
      changed: Queue.take(changes)
    })
    const server = yield* Bridge.make(behind)
    const connect = (options: Partial<McpClient.ClientOptions> = {}) =>
      Effect.provideService(
        McpMemoryClient.make({
          name: "test",
          version: "1",
          protocolVersion: "2025-11-25",
          cacheSize: 0,
          ...options
        }),
        McpServer.McpServer,
        server
      )
    /** Waits for a line that the server writes. */
    const wrote = (text: string) => Effect.repeat(Queue.take(shown), { until: (line) => line === text })
    /** Starts the server again with other tools, which a call waits for. */
    const change = (client: McpClient.McpClient, ...tools: ReadonlyArray<string>) =>
      Effect.gen(function*() {
        yield* folder.tools(...tools)
        yield* Queue.offer(changes, "server.ts")
        yield* wrote(`up with ${tools.join(", ")}`)
        yield* client.callTool("now")
      })
    return { change, connect, said, wrote }
  })

describe("the processes of one generation", () => {
  it.live("end it only when they have shaken hands", () =>
    Effect.gen(function*() {
      const { connect, said } = yield* developing("fragile", yield* developed.folder)
      const one = yield* connect()
      yield* one.callTool("now")
      const other = yield* connect({ handlers: { elicit: () => Effect.never } })
      yield* other.callTool("now")
      yield* one.callTool("now")
      assert.deepStrictEqual(said.filter((sentence) => sentence.includes("has ended")), [])
      assert.lengthOf(said.filter((sentence) => sentence.includes("once more")), 2)
    }), 30_000)
})

describe("a subscription", () => {
  it.live("goes on where a process has no such resource, in the one after it", () =>
    Effect.gen(function*() {
      const { change, connect, wrote } = yield* developing("legacy", yield* developed.folder)
      const client = yield* connect()
      yield* Effect.forkScoped(Stream.runDrain(client.subscribe("count://now")))
      yield* wrote("subscribed")
      yield* change(client, "now", "unlisted")
      yield* change(client, "now")
      yield* wrote("subscribed")
    }), 30_000)

  it.live("that a process refuses goes on in the one after it", () =>
    Effect.gen(function*() {
      const folder = yield* developed.folder
      yield* folder.tools("now", "refusing")
      const { change, connect, said, wrote } = yield* developing("legacy", folder)
      const client = yield* connect()
      yield* Effect.forkScoped(Stream.runDrain(client.subscribe("count://now")))
      yield* Effect.eventually(
        Effect.suspend(() => said.some((line) => line.includes("no subscriptions")) ? Effect.void : Effect.fail("none"))
      )
      yield* change(client, "now")
      yield* wrote("subscribed")
    }), 30_000)
})
