import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Logger, Queue } from "effect"
import { type Connected, hearing } from "./support/foreign.ts"
import * as officialV1 from "./support/officialV1.ts"
import * as officialV2 from "./support/officialV2.ts"
import * as places from "./support/places.ts"

const text = (text: string) => [{ type: "text", text }]

/** Two clients whose requests have the same ids, at the same time. */
const share = Effect.fnUntraced(function*(one: Connected, other: Connected) {
  const both = [one, other] as const
  const turns = Array.from({ length: 20 }, (_, turn) => turn)
  const echoes = yield* Effect.all(
    both.map((client, index) =>
      Effect.all(turns.map((turn) => client.callTool("echo", { text: `client ${index}, turn ${turn}` })), {
        concurrency: "unbounded"
      })
    ),
    { concurrency: "unbounded" }
  )
  assert.deepStrictEqual(
    echoes.map((results) => results.map(({ content }) => content)),
    both.map((_, index) => turns.map((turn) => text(`client ${index}, turn ${turn}`)))
  )

  // Both calls run at once, and their progress tokens are the same.
  const progress = [yield* hearing, yield* hearing] as const
  const counting = yield* Effect.forEach(
    both,
    (client, index) =>
      Effect.forkChild(client.callTool("count", { to: 2 + index, until: "both were heard" }, {
        onProgress: (step) => void Queue.offerUnsafe(progress[index === 0 ? 0 : 1].logs, step)
      }))
  )
  for (const [index, { logs }] of progress.entries()) {
    const total = 2 + index
    assert.deepStrictEqual(
      yield* Queue.takeN(logs, total),
      Array.from({ length: total }, (_, step) => ({ progress: step + 1, total, message: `step ${step + 1}` }))
    )
  }
  yield* one.callTool("happen", { name: "both were heard" })
  for (const fiber of counting) yield* Fiber.join(fiber)
  for (const { logs } of progress) assert.strictEqual(yield* Queue.size(logs), 0)

  for (const client of both) yield* client.setLogLevel("warning")
  yield* Effect.all(both.map((client, index) => client.callTool("say", { text: `client ${index}` })), {
    concurrency: "unbounded"
  })
  for (const [index, { heard }] of both.entries()) {
    assert.deepInclude(yield* Queue.take(heard.logs), { data: { text: `client ${index}` } })
    assert.strictEqual(yield* Queue.size(heard.logs), 0)
  }

  yield* one.subscribe("text://greeting")
  yield* other.subscribe("data://bytes")
  for (const uri of ["data://bytes", "text://greeting"]) yield* one.callTool("touch", { uri })
  assert.strictEqual(yield* Queue.take(one.heard.updates), "text://greeting")
  assert.strictEqual(yield* Queue.take(other.heard.updates), "data://bytes")

  yield* one.callTool("grow")
  for (const { heard } of both) {
    assert.deepStrictEqual((yield* Queue.takeN(heard.changes, 3)).toSorted(), ["prompts", "resources", "tools"])
    assert.strictEqual(yield* Queue.size(heard.updates), 0)
  }
})

const quietly = Effect.provide(Logger.layer([]))

describe("two clients at once on one server see only their own", () => {
  it.live("in memory, version 1 and version 1", () =>
    Effect.gen(function*() {
      const server = yield* places.server
      const connect = Effect.flatMap(Effect.suspend(() => officialV1.inMemory(server)), officialV1.connect)
      yield* share(yield* connect, yield* connect)
    }).pipe(quietly))

  it.live("over HTTP, version 1 and version 1", () =>
    Effect.gen(function*() {
      const url = yield* Effect.flatMap(places.server, places.hosted)
      const connect = Effect.suspend(() => officialV1.connect(officialV1.http(url)))
      yield* share(yield* connect, yield* connect)
    }).pipe(quietly))

  it.live("over HTTP, version 2 of the legacy era and of the modern one", () =>
    Effect.gen(function*() {
      const url = yield* Effect.flatMap(places.server, places.hosted)
      const legacy = yield* officialV2.connect(officialV2.http(url), "legacy")
      yield* share(legacy, yield* officialV2.connect(officialV2.http(url), { pin: "2026-07-28" }))
    }).pipe(quietly))
})
