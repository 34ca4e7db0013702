import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as Scripted from "../../client/scripted.ts"

/** A tool that says how far it is every 20 seconds, so many times. */
const slow = (times: number) => ({
  "tools/call": (call: Parameters<NonNullable<Parameters<typeof Scripted.legacy>[0]>[string]>[0]) =>
    Effect.gen(function*() {
      for (let progress = 1; progress <= times; progress++) {
        yield* Effect.sleep("20 seconds")
        yield* Effect.orDie(call.progress({ progress, total: times }))
      }
      return { content: [] }
    })
})

const eras = [["legacy", Scripted.legacy], ["modern", Scripted.modern]] as const

describe("complaint 5: a call times out whatever its progress", () => {
  for (const [era, serve] of eras) {
    it.effect(`progress keeps a call from its timeout in the ${era} era, though nobody listens for it`, () =>
      Effect.gen(function*() {
        const { client, written } = yield* Scripted.connect(serve(slow(10)))
        const calls = [
          yield* Effect.forkChild(client.callTool("slow")),
          yield* Effect.forkChild(client.callTool("slow", {}, { meta: { "example.org/a": 1 } }))
        ]
        for (let step = 0; step < 10; step++) {
          yield* Scripted.settle
          for (const call of calls) assert.isUndefined(call.pollUnsafe())
          yield* TestClock.adjust("20 seconds")
        }
        for (const call of calls) assert.deepStrictEqual((yield* Fiber.join(call)).content, [])
        const sent = Scripted.of(written, "tools/call")
        for (const { params } of sent) assert.isDefined(Object(params?.["_meta"]).progressToken)
        assert.lengthOf(sent, 2)
      }))

    it.effect(`a call without progress times out in the ${era} era, and one with progress does at the cap`, () =>
      Effect.gen(function*() {
        const { client } = yield* Scripted.connect(serve(slow(10)), { maxTimeout: "70 seconds" })
        const short = yield* Effect.forkChild(Effect.flip(client.callTool("slow", {}, { timeout: "15 seconds" })))
        const long = [
          yield* Effect.forkChild(Effect.flip(client.callTool("slow"))),
          yield* Effect.forkChild(Effect.flip(client.callTool("slow", {}, { timeout: "25 seconds" })))
        ]
        yield* TestClock.adjust("15010 millis")
        assert.deepInclude(yield* Fiber.join(short), { _tag: "RequestTimeout", milliseconds: 15_000 })
        for (const until of ["20 seconds", "20 seconds", "10 seconds"] as const) {
          yield* TestClock.adjust(until)
          yield* Scripted.settle
          for (const call of long) assert.isUndefined(call.pollUnsafe())
        }
        yield* TestClock.adjust("5 seconds")
        for (const call of long) assert.strictEqual((yield* Fiber.join(call))._tag, "RequestTimeout")
      }))
  }
})
