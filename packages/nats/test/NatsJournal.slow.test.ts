/** The messages of a journal at the server, and how readers find their position in it. */
import { assert, it } from "@effect/vitest"
import { Journal } from "@parley/mesh"
import { NatsClient, NatsNodes } from "@parley/nats"
import { Effect, Fiber, Stream } from "effect"
import * as NatsServer from "./support/NatsServer.ts"

/** A journal, and how many messages of a key the server keeps. */
const journalOf = (options: NatsNodes.NatsJournalOptions, config?: string) =>
  Effect.gen(function*() {
    const { address } = yield* NatsServer.make(config)
    const client = yield* NatsClient.make({ servers: address })
    const journal = yield* NatsNodes.makeJournal(client, options)
    const state = Effect.map(
      client.request("$JS.API.STREAM.INFO.parley_journal", JSON.stringify({ subjects_filter: "parley.journal.k" })),
      (message): { readonly messages: number; readonly bytes: number } => {
        const { state } = message.json<{ state: { subjects?: Record<string, number>; bytes: number } }>()
        return { messages: state.subjects?.["parley.journal.k"] ?? 0, bytes: state.bytes }
      }
    )
    return { journal, state, client }
  })

/** The items that a reader sees of texts named by their positions, of which those from `first` to `last` are kept. */
const expected = (after: number, first: number, last: number, textAt: (position: number) => string) => {
  const from = Math.max(after + 1, first)
  const items: Array<Journal.Item> = from > after + 1 ? [{ _tag: "Gap", after, before: from }] : []
  for (let position = from; position <= last; position++) {
    items.push({ _tag: "Entry", position, text: textAt(position) })
  }
  return items
}

NatsServer.suites("the journal of NATS", () => {
  it.live("finds the place of a reader, and purges what is not kept, by count", () =>
    Effect.scoped(Effect.gen(function*() {
      const count = 200
      const { journal, state } = yield* journalOf({ count })
      const last = 700
      for (let position = 1; position <= last; position++) {
        yield* journal.append("k", `${position}`, 0)
        if (position % 50 === 0) yield* journal.append("other", `${position}`, 0)
        if (position % 90 === 0) yield* journal.fence("k", 0)
      }
      for (const after of [0, 1, 499, 500, 501, 563, 564, 565, 600, 639, 640, 641, 698, 699, 700]) {
        const items = yield* journal.read("k", after)
        assert.deepStrictEqual(items, expected(after, last - count + 1, last, String), `after ${after}`)
      }
      assert.isAtMost((yield* state).messages, 1.5 * count + 8 + 64)
    })))

  it.live("purges what is not kept, by weight and by who appends", () =>
    Effect.scoped(Effect.gen(function*() {
      const weight = 100_000
      const { journal, state } = yield* journalOf({ weight })
      const textAt = (position: number) => `${position}`.padEnd(9_744)
      for (let position = 1; position <= 60; position++) yield* journal.append("k", textAt(position), 0)
      assert.deepStrictEqual(yield* journal.read("k", 0), expected(0, 51, 60, textAt))
      assert.isAtMost((yield* state).messages, 24)
      for (let position = 1; position <= 50; position++) yield* journal.append("k", "state", 0, 1)
      assert.deepStrictEqual(yield* journal.read("k", 0), expected(0, 110, 110, () => "state"))
      assert.isAtMost((yield* state).messages, 12)
      yield* journal.drop("k", 0)
      assert.strictEqual((yield* state).messages, 1)
      assert.strictEqual(yield* journal.append("k", "again", 0), 1)
    })))

  it.live("keeps less than all bytes, and the newest", () =>
    Effect.scoped(Effect.gen(function*() {
      const total = 1_000_000
      const { journal, state } = yield* journalOf({ total })
      for (let n = 0; n < 300; n++) yield* journal.append(`k${n % 30}`, "x".repeat(10_000), 0)
      assert.isAtMost((yield* state).bytes, total)
      for (let n = 0; n < 30; n++) assert.strictEqual((yield* journal.last(`k${n}`))?.position, 10)
    })))

  it.live("refuses an epoch that is older than that of a key that was dropped", () =>
    Effect.scoped(Effect.gen(function*() {
      const { journal } = yield* journalOf({})
      yield* journal.append("k", "a", 7)
      yield* journal.drop("k", 8)
      const error = yield* Effect.flip(journal.append("k", "b", 7))
      assert.strictEqual(error._tag, "Fenced")
      assert.deepStrictEqual(yield* journal.read("k", 0), [])
    })))

  it.live("brings who follows many texts in order, while others write and the text is large", () =>
    Effect.scoped(Effect.gen(function*() {
      const { client, journal } = yield* journalOf({}, "max_payload: 8192\njetstream {}")
      const other = yield* NatsNodes.makeJournal(client)
      const textAt = (position: number) => `${position}`.padEnd(position % 10 === 0 ? 20_000 : 10, "ä")
      const following = yield* Effect.forkChild(Stream.runCollect(Stream.take(other.follow("k", 0), 100)))
      for (let position = 1; position <= 100; position++) {
        yield* (position % 3 === 0 ? other : journal).append("k", textAt(position), 0)
      }
      assert.deepStrictEqual([...yield* Fiber.join(following)], expected(0, 1, 100, textAt))
    })))
})
