/** What must hold for the callers of a server, however it is deployed and whichever era its clients speak. */
import { assert, layer } from "@effect/vitest"
import * as TaskClient from "@parley/mcp-tasks/TaskClient"
import type { CallToolResult } from "@parley/mcp/payload/Results"
import type { Revision } from "@parley/mcp/wire/Revision"
import { Effect, Layer, Logger, Schema } from "effect"
import * as World from "./World.ts"

export const eras: Readonly<Record<string, Revision>> = { legacy: "2025-11-25", modern: "2026-07-28" }

const parsed = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Unknown))

export const textOf = ({ content: [block] }: CallToolResult): string => block?.type === "text" ? block.text : ""

/** Two of each, so that with two nodes both answer. */
const twice = <A, E>(effect: Effect.Effect<A, E>) => Effect.replicateEffect(effect, 2)

type Promise = (world: World.World["Service"], era: string) => Effect.Effect<unknown, unknown>

const promises: Readonly<Record<string, Promise>> = {
  "a handler finds the same caller, with all claims, wherever it runs": ({ clients }) =>
    Effect.forEach(World.people, (person) =>
      Effect.gen(function*() {
        const client = clients[person]
        const found = [
          ...(yield* twice(Effect.map(client.callTool("who"), textOf))),
          ...(yield* twice(Effect.map(client.callTool("who_later"), textOf)))
        ]
        for (const text of found) assert.deepStrictEqual(parsed(text), World.identityOf(person))
      }), { discard: true, concurrency: "unbounded" }),

  "two principals never see each other's lists and results": ({ clients }) =>
    twice(Effect.forEach(World.people, (person) =>
      Effect.gen(function*() {
        const names = (yield* clients[person].listTools()).map(({ name }) => name)
        assert.deepStrictEqual(names.filter((name) => name.startsWith("of_")), [`of_${person}`])
        const { contents: [inbox] } = yield* clients[person].readResource("mail:inbox")
        assert.deepStrictEqual(
          parsed(inbox !== undefined && "text" in inbox ? inbox.text : ""),
          World.identityOf(person)
        )
        const other = person === "one" ? "two" : "one"
        assert.strictEqual((yield* Effect.exit(clients[person].callTool(`of_${other}`)))._tag, "Failure")
      }))),

  "two principals never see each other's sessions, also of a server behind, and their streams": (
    { clients, send },
    era
  ) =>
    Effect.gen(function*() {
      yield* clients.one.callTool("remember", { text: "a note of one" })
      const [first, second] = yield* Effect.forEach(World.people, (person) => twice(clients[person].callTool("recall")))
      if (era === "legacy") assert.include(first?.map(textOf), "a note of one")
      assert.deepStrictEqual(second?.map(textOf), ["nothing", "nothing"])
      if (era !== "legacy") return
      const clientInfo = { name: "raw", version: "1" }
      const params = { protocolVersion: eras["legacy"] ?? "", capabilities: {}, clientInfo }
      const accept = { accept: "application/json, text/event-stream" }
      const begun = yield* send("one", "POST", accept, { jsonrpc: "2.0", id: 1, method: "initialize", params })
      const session = { "mcp-session-id": begun.headers.get("mcp-session-id") ?? "", ...accept }
      const ping = { jsonrpc: "2.0", id: 2, method: "ping" }
      assert.strictEqual((yield* send("one", "POST", session, ping)).status, 200)
      assert.strictEqual((yield* send("two", "POST", session, ping)).status, 404)
      for (const last of [{}, { "last-event-id": "general_0" }]) {
        assert.strictEqual((yield* send("two", "GET", { ...session, ...last })).status, 404)
      }
      assert.strictEqual((yield* send("two", "DELETE", session)).status, 404)
    }),

  "two principals never see each other's tasks": ({ clients, hasTasks }) =>
    Effect.gen(function*() {
      const [one, two] = yield* Effect.all([TaskClient.of(clients.one), TaskClient.of(clients.two)])
      const started = yield* one.start("who_later")
      if (!hasTasks) return assert.strictEqual(started._tag, "Result")
      if (started._tag === "Result") return assert.fail("it is no task")
      const { id } = started.task
      for (const state of yield* twice(Effect.exit(two.task(id).get))) {
        assert.strictEqual(state._tag, "Failure")
      }
      assert.deepStrictEqual(parsed(textOf(yield* started.task.await)), World.identityOf("one"))
    }),

  "two principals never see each other's questions": ({ asking: clients }) =>
    Effect.forEach(World.people, (person) =>
      Effect.gen(function*() {
        const { principal } = World.identityOf(person)
        const said = yield* twice(Effect.map(clients[person].callTool("ask"), textOf))
        assert.deepStrictEqual(said, [`${principal} is ${person}`, `${principal} is ${person}`])
      }), { discard: true, concurrency: "unbounded" })
}

/** Describes a deployment, in both eras. */
export const cells = (name: string, deployment: World.Deployment): void => {
  for (const [era, revision] of Object.entries(eras)) {
    const world = Layer.effect(World.World, World.make(deployment, revision))
    layer(world, { excludeTestServices: true, timeout: "1 minute" })(`${name}, ${era} clients`, (it) => {
      for (const [title, promise] of Object.entries(promises)) {
        it.effect(title, () => Effect.flatMap(World.World, (world) => promise(world, era)).pipe(quiet))
      }
      if (deployment.engine === undefined) return
      it.effect("no credential ever reaches the engine", () =>
        Effect.map(World.World, ({ seen }) => {
          const all = seen()
          assert.notInclude(all, World.secret)
          // Calls of a session go to its node, and tasks into the journal.
          const isCalled = era === "legacy" || !deployment.isBehind
          if (isCalled) assert.include(all, era === "legacy" ? "a note of one" : "who_later")
        }))
    })
  }
}

const quiet = Effect.provide(Logger.layer([]))
