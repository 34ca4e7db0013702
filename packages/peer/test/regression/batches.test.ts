/** A batch whose reply left a member out, or that was refused as a whole, waited until its timeout. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Option, Result } from "effect"
import { type Peer, Router } from "../../src/index.ts"
import { Exchange } from "../../src/shared/index.ts"
import { connect, failure, request, settle, success } from "../wire.ts"

const started = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

const members = [{ method: "a" }, { method: "n", notification: true }, { method: "b" }, { method: "c" }] as const

type Outcomes = Effect.Success<ReturnType<Peer.Peer["batch"]>>

/** How each member ended, in a word. */
const inWords = (outcomes: Outcomes) =>
  outcomes.map((outcome) =>
    outcome === undefined
      ? "none"
      : Result.isSuccess(outcome)
      ? outcome.success
      : outcome.failure._tag === "RemoteError"
      ? outcome.failure.code
      : outcome.failure._tag
  )

const ended = (fiber: Fiber.Fiber<Outcomes, unknown>) => {
  const exit = fiber.pollUnsafe()
  return exit !== undefined && Exit.isSuccess(exit) ? inWords(exit.value) : undefined
}

const refusals = [[-32700, "Parse error"], [-32600, "Invalid Request"], [-32001, "Request too large"]] as const

describe("a reply to a batch over a connection", () => {
  it.effect("promise 7: a call ends exactly once, at once when the reply to its batch leaves it out", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect()
      const other = yield* started(peer.request("other"))
      const batch = yield* started(peer.batch(members))
      yield* wire.send(`[${success(4, "c")},${success(2, "a")}]`)
      yield* settle
      assert.deepStrictEqual(ended(batch), ["a", "none", "InvalidResponse", "c"])
      assert.isUndefined(other.pollUnsafe())
      // What comes late is dropped.
      yield* wire.send(success(3, "late"), success(1, "other"))
      assert.strictEqual(yield* Fiber.join(other), "other")
    }))

  it.effect("promise 7: a call ends exactly once, and a response by itself ends no other member", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect()
      const batch = yield* started(peer.batch(members))
      yield* wire.send(success(1, "a"))
      yield* settle
      assert.isUndefined(batch.pollUnsafe())
      yield* wire.send(`[${success(3, "c")}]`)
      yield* settle
      assert.deepStrictEqual(ended(batch), ["a", "none", "InvalidResponse", "c"])
    }))

  for (const [code, message] of refusals) {
    it.effect(`promise 7: a call ends exactly once, at once when exactly its batch is unanswered and refused: ${code}`, () =>
      Effect.gen(function*() {
        const { peer, wire } = yield* connect()
        const batch = yield* started(peer.batch(members))
        yield* wire.take(1)
        yield* wire.send(JSON.stringify(failure(null, code, message)))
        yield* settle
        assert.deepStrictEqual(ended(batch), [code, "none", code, code])
        assert.isTrue(yield* peer.connected)
      }))

    it.effect(`promise 7: a call ends exactly once, with its batch that is refused while a request waits: ${code}`, () =>
      Effect.gen(function*() {
        const { peer, wire } = yield* connect()
        const batch = yield* started(peer.batch(members))
        const other = yield* started(peer.request("other"))
        yield* wire.send(JSON.stringify(failure(null, -32000, "no")), JSON.stringify(failure(null, code, message)))
        yield* settle
        assert.deepStrictEqual(ended(batch), [code, "none", code, code])
        assert.isUndefined(other.pollUnsafe())
        yield* wire.send(success(4, "other"))
        assert.strictEqual(yield* Fiber.join(other), "other")
      }))
  }

  const two = Effect.gen(function*() {
    const { peer, wire } = yield* connect()
    const batches = [
      yield* started(peer.batch([{ method: "a" }])),
      yield* started(peer.batch([{ method: "b" }]))
    ] as const
    yield* wire.take(2)
    return { batches, wire }
  })

  const refusal = JSON.stringify(failure(null, -32600, "Invalid Request"))

  it.effect.each([refusal, "[]"])(
    "promise 7: a call ends exactly once: of several batches, none by a refusal that names none: %s",
    (text) =>
      Effect.gen(function*() {
        const { batches: [first, second], wire } = yield* two
        yield* wire.send(text, text)
        yield* settle
        assert.deepStrictEqual([first.pollUnsafe(), second.pollUnsafe()], [undefined, undefined])
        // Nothing is answered: a refusal of ours could be refused, too.
        assert.strictEqual(wire.received.length, 2)
        yield* wire.send(`[${success(1, "a")}]`, refusal)
        yield* settle
        assert.deepStrictEqual([ended(first), ended(second)], [["a"], [-32600]])
      })
  )

  it.effect("promise 7: a call ends exactly once: no batch that is made after the refusal", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect()
      const first = yield* started(peer.batch(members))
      yield* wire.send(refusal)
      yield* settle
      assert.isDefined(ended(first))
      const second = yield* started(peer.batch([{ method: "b" }]))
      yield* wire.send(`[${success(4, "b")}]`)
      yield* settle
      assert.deepStrictEqual(ended(second), ["b"])
    }))

  it.effect("promise 7: a call ends exactly once, at once when the reply to its batch is empty", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect()
      const batch = yield* started(peer.batch(members))
      yield* wire.send("[]")
      yield* settle
      assert.deepStrictEqual(ended(batch), ["InvalidResponse", "none", "InvalidResponse", "InvalidResponse"])
      // With no batch of ours it is a batch of theirs.
      yield* wire.send("[]")
      assert.deepStrictEqual((yield* wire.take(2))[1], JSON.parse(refusal))
    }))

  it.effect("an interrupted batch is not taken for one that is refused", () =>
    Effect.gen(function*() {
      const { batches: [first, second], wire } = yield* two
      yield* Fiber.interrupt(first)
      yield* wire.send(refusal)
      yield* settle
      assert.deepStrictEqual(ended(second), [-32600])
    }))

  it.effect("an error without an id and of another code ends no batch", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect()
      const batch = yield* started(peer.batch(members))
      yield* wire.send(JSON.stringify(failure(null, -32000, "no")))
      yield* settle
      assert.isUndefined(batch.pollUnsafe())
      yield* Fiber.interrupt(batch)
    }))

  it.effect("an error without an id ends no request that is alone", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect()
      const call = yield* started(peer.request("m"))
      yield* wire.send(JSON.stringify(failure(null, -32700, "Parse error")))
      yield* settle
      assert.isUndefined(call.pollUnsafe())
      yield* Fiber.interrupt(call)
    }))
})

describe("a reply to a batch over an exchange", () => {
  const calling = (...texts: ReadonlyArray<string>) =>
    Exchange.makeCaller({
      post: (_, take) => Effect.as(Effect.forEach(texts, (text) => take(text) ?? Effect.void), "answer")
    })

  it.effect("promise 7: a call ends exactly once, at once when the reply to its batch leaves it out", () =>
    Effect.gen(function*() {
      const caller = yield* calling(`[${success(3, "c")},${success(1, "a")}]`)
      assert.deepStrictEqual(inWords(yield* caller.batch(members)), ["a", "none", "InvalidResponse", "c"])
    }))

  for (const [code, message] of refusals) {
    it.effect(`promise 7: a call ends exactly once, at once when its batch is refused: ${code}`, () =>
      Effect.gen(function*() {
        const caller = yield* calling(JSON.stringify(failure(null, code, message)))
        assert.deepStrictEqual(inWords(yield* caller.batch(members)), [code, "none", code, code])
      }))
  }

  it.effect("promise 7: a call ends exactly once, also where others wait meanwhile", () =>
    Effect.gen(function*() {
      const texts: Array<string> = []
      const caller = yield* Exchange.makeCaller({
        post: (text, take) => {
          if (!text.startsWith("[")) return Effect.never
          texts.push(text)
          return Effect.as(take(JSON.stringify(failure(null, -32700, "Parse error"))) ?? Effect.void, "answer")
        }
      })
      const other = yield* started(caller.request("other"))
      assert.deepStrictEqual(inWords(yield* caller.batch(members)), [-32700, "none", -32700, -32700])
      assert.isUndefined(other.pollUnsafe())
      assert.strictEqual(texts.length, 1)
      yield* Fiber.interrupt(other)
    }))
})

describe("the reply to a batch", () => {
  const limits = { frame: 4_096, batchReply: 4_096 }
  const batchOf = (members: number) => `[${Array.from({ length: members }, (_, id) => request(id, "m")).join(",")}]`

  for (const [what, result] of [["bytes", "字".repeat(600)], ["commas", "x".repeat(783)]] as const) {
    it.effect(`promise 7: a call ends exactly once: the reply to its batch fits into a frame, counted with its ${what}`, () =>
      Effect.gen(function*() {
        const router = yield* Router.make({ limits })
        yield* router.add("m", () => Effect.succeed(result))
        const reply = Option.getOrThrow(yield* router.answer(batchOf(6)))
        assert.isAtMost(new TextEncoder().encode(reply).length, limits.frame)
        const replies: ReadonlyArray<{ readonly id: number; readonly error?: { readonly code: number } }> = JSON.parse(
          reply
        )
        assert.deepStrictEqual(replies.map(({ id }) => id), [0, 1, 2, 3, 4, 5])
        assert.isUndefined(replies[0]?.error)
        assert.strictEqual(replies[5]?.error?.code, -32001)
      }))
  }
})
