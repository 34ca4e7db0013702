import { assert, describe, it } from "@effect/vitest"
import type { Journal } from "@parley/mesh/Journal"
import * as MemoryNodes from "@parley/mesh/MemoryNodes"
import { Effect, Fiber, Queue, Schema } from "effect"
import { sample, type Waiting } from "../support/sample.ts"
import * as web from "../support/web.ts"

/** How many texts each of some calls says, and where its client leaves: behind so many events each time. */
const Plan = Schema.Struct({
  calls: Schema.NonEmptyArray(Schema.Struct({
    texts: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 12 })),
    cuts: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 4 }))).check(Schema.isMaxLength(8))
  })).check(Schema.isMaxLength(4)),
  /** Whether keeping an event takes its time. */
  isSlow: Schema.Boolean,
  /** Whose turn it is to say something, over and over. */
  turns: Schema.NonEmptyArray(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 })))
})

/** One that other things overtake. */
const slow = Effect.map(MemoryNodes.makeJournal(), (journal): Journal => {
  const turns = Effect.andThen(Effect.yieldNow, Effect.yieldNow)
  return {
    ...journal,
    append: (...entry) =>
      Effect.andThen(Effect.andThen(turns, journal.append(...entry)), (position) => Effect.as(turns, position)),
    read: (key, after) =>
      Effect.andThen(Effect.andThen(turns, journal.read(key, after)), (items) => Effect.as(turns, items))
  }
})

describe("streams that are cut and resumed", () => {
  it.effect.prop(
    "bring every text exactly once, in order, wherever that happens",
    [Plan],
    ([{ calls, isSlow, turns }]) =>
      Effect.gen(function*() {
        const { server, waiting } = yield* sample
        const client = yield* web.open({ journal: yield* (isSlow ? slow : MemoryNodes.makeJournal()) }, server)
        const visitor = yield* web.visit(client)
        const reading = Effect.fnUntraced(function*(index: number, cuts: ReadonlyArray<number>) {
          const seen: Array<unknown> = []
          let answer = yield* visitor.post(web.call("wait", { name: `${index}` }))
          const left = [...cuts]
          // It was answered before anything was sent.
          if (answer.header("content-type") === "application/json") return [web.textOf(yield* answer.json)]
          let budget = left.shift()
          let lastId: string | undefined
          while (true) {
            const event = yield* answer.read.next
            lastId = answer.read.lastId() ?? lastId
            if (event !== undefined && event.data !== undefined && event.data !== "") {
              const said: web.Said = JSON.parse(event.data)
              seen.push(said.method === undefined ? web.textOf(said) : said.params?.["data"])
              if (said.method === undefined) return seen
            }
            if (event === undefined) return [...seen, "the end"]
            if (budget === undefined || --budget > 0) continue
            answer.abort()
            answer = yield* visitor.get(lastId)
            budget = left.shift()
          }
        })
        const readers = yield* Effect.forEach(
          calls,
          ({ cuts }, index) => Effect.forkChild(reading(index, cuts), { startImmediately: true })
        )
        const running = new Map<string, Waiting>()
        for (let times = 0; times < calls.length; times++) {
          const one = yield* Queue.take(waiting)
          running.set(one.name, one)
        }
        const said = calls.map(() => 0)
        const open = new Set(calls.keys())
        for (let turn = 0; open.size > 0; turn++) {
          const [...indexes] = open
          const index = indexes[(turns[turn % turns.length] ?? 0) % indexes.length] ?? 0
          const call = running.get(`${index}`)
          const n = said[index] ?? 0
          if (n < (calls[index]?.texts ?? 0)) {
            call?.tell(`${index}/${n}`)
            said[index] = n + 1
          } else {
            call?.finish(`${index} done`)
            open.delete(index)
          }
          for (let times = turn % 5; times > 0; times--) yield* Effect.yieldNow
        }
        const results: ReadonlyArray<ReadonlyArray<unknown>> = yield* Effect.forEach(readers, Fiber.join)
        assert.deepStrictEqual(
          results,
          calls.map(({ texts }, index) => [
            ...Array.from({ length: texts }, (_, n) => `${index}/${n}`),
            `${index} done`
          ])
        )
      }),
    { arbitrary: { runs: 40 } }
  )

  it.effect("are not resumed where there is no journal: nothing is kept, and what is read arrives", () =>
    Effect.gen(function*() {
      const { server, waiting } = yield* sample
      const client = yield* web.open({ journal: false }, server)
      const visitor = yield* web.visit(client)
      const answer = yield* Effect.forkChild(visitor.post(web.call("wait", { name: "a" })), { startImmediately: true })
      const call = yield* Queue.take(waiting)
      call.tell("one")
      const { abort, header, read } = yield* Fiber.join(answer)
      assert.strictEqual(header("content-type"), "text/event-stream")
      const event = yield* read.next
      assert.strictEqual(JSON.parse(event?.data ?? "").params.data, "one")
      assert.isUndefined(event?.id)
      call.closeStream()
      call.tell("two")
      assert.strictEqual(JSON.parse((yield* read.next)?.data ?? "").params.data, "two")
      abort()
      // The request that the name of a stream tells ends with an error; its client would wait for ever.
      const { read: gone } = yield* visitor.get(`${crypto.randomUUID()}.3_1`)
      assert.include((yield* gone.next)?.data, `"error"`)
      call.finish("done")
      assert.strictEqual(web.textOf(yield* (yield* visitor.post(web.call("echo", { text: "still" }))).json), "still")
    }))
})
