/** Answers to questions, which reach a process that cannot reach the one that has asked. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as web from "../../http-server/support/web.ts"
import { settled } from "../../support/settled.ts"
import { at, cluster } from "../support/cluster.ts"

/** A question of one node, whose client reaches another while the engine is away for so long. */
const answeredAfter = (milliseconds: number) =>
  Effect.gen(function*() {
    const { engine, nodes: [owner, other] } = yield* cluster()
    const here = yield* web.visit(owner.client, "2025-11-25", { elicitation: {} })
    const { read } = yield* here.post(web.call("name"))
    const { id = null } = yield* read.message
    const back = engine.stop()
    const answering = yield* Effect.forkChild(
      at(here, other).post({ jsonrpc: "2.0", id, result: { action: "accept", content: { name: "Ada" } } })
    )
    const wait = (milliseconds: number) =>
      Effect.gen(function*() {
        for (let passed = 0; passed < milliseconds; passed += 250) {
          yield* settled
          yield* TestClock.adjust("250 millis")
        }
        yield* settled
      })
    yield* wait(milliseconds)
    back()
    yield* wait(5_000)
    return { read, answer: answering.pollUnsafe() }
  })

describe("an answer that reaches a process which cannot reach the one that has asked", () => {
  it.effect("is held, and delivered when it can", () =>
    Effect.gen(function*() {
      const { answer, read } = yield* answeredAfter(10_000)
      assert.strictEqual(answer?._tag === "Success" ? answer.value.status : undefined, 202)
      assert.strictEqual(web.textOf(yield* read.message), "Ada")
    }))

  it.effect("is not held for longer than half a minute", () =>
    Effect.gen(function*() {
      const { answer } = yield* answeredAfter(40_000)
      assert.strictEqual(answer?._tag === "Success" ? answer.value.status : undefined, 503)
    }))
})
