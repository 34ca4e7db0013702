/** Answers to questions, which reach a process that cannot reach the one that has asked. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as KeptAnswers from "../../../src/internal/http/nodes/KeptAnswers.ts"
import * as Shares from "../../../src/shared/Shares.ts"
import * as web from "../../http-server/support/web.ts"
import { settled } from "../../support/settled.ts"
import { at, cluster } from "../support/cluster.ts"

/** A question of one node, whose client reaches another while the engine is away for so long. */
const answeredAfter = (
  milliseconds: number,
  meanwhile: (answering: Fiber.Fiber<web.Answer>) => Effect.Effect<void> = () => Effect.void,
  name = "Ada"
) =>
  Effect.gen(function*() {
    const { engine, nodes: [owner, other] } = yield* cluster()
    const here = yield* web.visit(owner.client, "2025-11-25", { elicitation: {} })
    const { read } = yield* here.post(web.call("name"))
    const { id = null } = yield* read.message
    const back = engine.stop()
    const answering = yield* Effect.forkChild(
      at(here, other).post({ jsonrpc: "2.0", id, result: { action: "accept", content: { name } } })
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
    yield* meanwhile(answering)
    back()
    yield* wait(35_000)
    return { read, answer: answering.pollUnsafe() }
  })

describe("answers that are kept", () => {
  it.effect("of one party leave room for those of others", () =>
    Effect.gen(function*() {
      const kept = new KeptAnswers.KeptAnswers()
      let begun = 0
      const keep = (party: string) =>
        Effect.forkChild(
          kept.keep({
            party,
            text: "answer",
            lost: () => "lost",
            deliver: (text) => Effect.andThen(Effect.sync(() => text === "answer" && begun++), Effect.never)
          }),
          { startImmediately: true }
        )
      const many = Array.from({ length: KeptAnswers.most.all })
      const { ofOne } = KeptAnswers.most
      const first = yield* Effect.forEach(many, () => keep(Shares.ofPrincipal("eve")))
      assert.strictEqual(begun, ofOne)
      yield* keep(Shares.ofPrincipal("ann"))
      assert.strictEqual(begun, ofOne + 1)
      yield* Effect.forEach(first, Fiber.interrupt)
      // Sessions that nobody knows leave as many to principals.
      yield* Effect.forEach(many, () => keep(crypto.randomUUID()))
      const before = begun
      yield* Effect.forEach(many, () => keep(Shares.ofPrincipal("eve")))
      assert.isAbove(begun, before)
    }))

  it.effect("are replaced by an error where they are large, or where their party has many, within a bound of its own", () =>
    Effect.gen(function*() {
      const kept = new KeptAnswers.KeptAnswers()
      const delivered: Array<string> = []
      const keep = (text: string, party: string, then: Effect.Effect<void> = Effect.void) =>
        Effect.forkChild(
          kept.keep({
            party,
            text,
            lost: () => "lost",
            deliver: (text) => Effect.andThen(Effect.sync(() => delivered.push(text)), then)
          }),
          { startImmediately: true }
        )
      const { all, ofOne } = KeptAnswers.most
      yield* keep("small", "a")
      yield* keep("x".repeat(KeptAnswers.heaviest), "a")
      assert.deepStrictEqual(delivered.splice(0), ["small", "lost"])
      yield* Effect.forEach(Array.from({ length: all * ofOne }), () => keep("small", "b", Effect.never))
      const kinds = (kind: string) => delivered.filter((text) => text === kind).length
      assert.deepStrictEqual([kinds("small"), kinds("lost")], [ofOne, KeptAnswers.stands.ofOne])
    }))
})

describe("an answer that reaches a process which cannot reach the one that has asked", () => {
  it.effect("is held, and delivered when it can", () =>
    Effect.gen(function*() {
      const { answer, read } = yield* answeredAfter(10_000)
      assert.strictEqual(answer?._tag === "Success" ? answer.value.status : undefined, 202)
      assert.strictEqual(web.textOf(yield* read.message), "Ada")
    }))

  it.effect("holds its client up for half a minute at most, and is delivered all the same when it can", () =>
    Effect.gen(function*() {
      const { answer, read } = yield* answeredAfter(40_000)
      assert.strictEqual(answer?._tag === "Success" ? answer.value.status : undefined, 503)
      assert.strictEqual(web.textOf(yield* read.message), "Ada")
    }))

  it.effect("is delivered also where its client has left", () =>
    Effect.gen(function*() {
      const { read } = yield* answeredAfter(10_000, (answering) => Fiber.interrupt(answering))
      assert.strictEqual(web.textOf(yield* read.message), "Ada")
    }))

  it.effect("ends its question without it where it is too large to be kept", () =>
    Effect.gen(function*() {
      const { answer, read } = yield* answeredAfter(40_000, undefined, "A".repeat(KeptAnswers.heaviest))
      assert.strictEqual(answer?._tag === "Success" ? answer.value.status : undefined, 503)
      assert.include(web.textOf(yield* read.message), "The answer was lost")
    }))
})
