import { assert, describe, it } from "@effect/vitest"
import * as ClientRequests from "@parley/mcp/server/ClientRequests"
import * as RevisionCodec from "@parley/mcp/wire/RevisionCodec"
import * as SealedState from "@parley/oauth/SealedState"
import { Cause, Effect, Exit, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import { able, accept, asked, converse, greet, type Handler, nameOf, params, retry, send } from "./retries.ts"

describe("a handler that asks", () => {
  it.effect("is answered by a result that asks, and by its own result when it runs again with the answer", () =>
    Effect.gen(function*() {
      const first = yield* send(greet)
      assert.deepStrictEqual(asked(first).inputRequests, {
        user: {
          method: "elicitation/create",
          params: {
            mode: "form",
            message: "user?",
            requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] }
          }
        }
      })
      assert.strictEqual(yield* send(greet, { params: retry(first, { user: accept({ name: "Ann" }) }) }), "hello Ann")
    }))

  it.effect("hears that a person declined, or turned away", () =>
    Effect.gen(function*() {
      const first = yield* send(greet)
      assert.strictEqual(yield* send(greet, { params: retry(first, { user: { action: "decline" } }) }), "Declined")
      assert.strictEqual(yield* send(greet, { params: retry(first, { user: { action: "cancel" } }) }), "Cancelled")
    }))

  it.effect("asks for URLs, models and roots in the words of the revision", () =>
    Effect.gen(function*() {
      const messages = [{ role: "user" as const, content: { type: "text" as const, text: "2+2?" } }]
      const handler: Handler<unknown, unknown, never> = (asking) =>
        Effect.all([
          asking.elicitUrl("page", { message: "Please log in", url: "https://example.org/" }),
          asking.sample("sum", { messages, maxTokens: 5, tools: [{ name: "t", inputSchema: { type: "object" } }] }),
          asking.listRoots()
        ], { concurrency: "unbounded" })
      const first = yield* send(handler)
      assert.deepStrictEqual(asked(first).inputRequests, {
        page: {
          method: "elicitation/create",
          params: { mode: "url", message: "Please log in", url: "https://example.org/" }
        },
        sum: {
          method: "sampling/createMessage",
          params: { messages, maxTokens: 5, tools: [{ name: "t", inputSchema: { type: "object" } }] }
        },
        roots: { method: "roots/list", params: {} }
      })
      const sum = { role: "assistant", content: { type: "text", text: "4" }, model: "m" }
      const roots = [{ uri: "file:///w" }]
      assert.deepStrictEqual(
        yield* send(handler, { params: retry(first, { page: { action: "accept" }, sum, roots: { roots } }) }),
        [{ _tag: "Accepted", content: undefined }, sum, roots]
      )
    }))

  it.effect("asks no more at once than a client takes, and the others in the next round", () =>
    Effect.gen(function*() {
      const keys = Array.from({ length: 130 }, (_, index) => `q${index}`)
      const handler: Handler<unknown, unknown, never> = (asking) =>
        Effect.forEach(keys, (key) => nameOf(asking, key), { concurrency: "unbounded" })
      let result = yield* send(handler)
      const counts: Array<number> = []
      for (let round = 0; round < 3; round++) {
        const questions = Object.keys(asked(result).inputRequests ?? {})
        counts.push(questions.length)
        const answers = Object.fromEntries(questions.map((key) => [key, accept({ name: key })]))
        result = yield* send(handler, { params: retry(result, answers) })
      }
      assert.deepStrictEqual(counts, [64, 64, 2])
      assert.deepStrictEqual(result, keys.map((name) => ({ _tag: "Accepted", content: { name } })))
    }))

  it.effect("that asks nothing, or has every answer already, gives its result and seals nothing", () =>
    Effect.gen(function*() {
      let sealed = 0
      const inner = yield* SealedState.make()
      const state: SealedState.SealedState = {
        ...inner,
        seal: (...given) => Effect.suspend(() => (sealed++, inner.seal(...given)))
      }
      assert.strictEqual(yield* send(() => Effect.succeed("at once"), { state }), "at once")
      assert.strictEqual(yield* send(() => Effect.as(Effect.yieldNow, "later"), { state }), "later")
      const given = { ...params, inputResponses: { user: accept({ name: "Ann" }) } }
      assert.strictEqual(yield* send(greet, { state, params: given }), "hello Ann")
      assert.strictEqual(sealed, 0)
      yield* send(greet, { state })
      assert.strictEqual(sealed, 1)
    }))

  it.effect("is a value like any effect: run twice, it asks twice", () =>
    Effect.gen(function*() {
      const state = yield* SealedState.make()
      const request = {
        state,
        codec: RevisionCodec.latest,
        capabilities: able,
        server: "s",
        principal: undefined,
        method: "tools/call",
        params
      }
      const round = ClientRequests.rounds(request, greet)
      assert.deepStrictEqual(Object.keys(asked(yield* round).inputRequests), ["user"])
      assert.deepStrictEqual(Object.keys(asked(yield* round).inputRequests), ["user"])
    }))

  it.effect("keeps its own failures and defects", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* Effect.flip(send(() => Effect.fail("at once"))), "at once")
      assert.strictEqual(yield* Effect.flip(send(() => Effect.andThen(Effect.yieldNow, Effect.fail("later")))), "later")
      const dead = yield* Effect.exit(send(() => Effect.andThen(Effect.yieldNow, Effect.die("broken"))))
      assert.isTrue(Exit.hasDies(dead))
    }))

  for (const [when, begin] of [["at once", Effect.void], ["later", Effect.yieldNow]] as const) {
    it.effect(`gives its result ${when} where a fiber that it left behind asks, and ends that question`, () =>
      Effect.gen(function*() {
        let left: Fiber.Fiber<unknown, unknown> | undefined
        const handler: Handler<string, never, never> = (asking) =>
          Effect.gen(function*() {
            yield* begin
            left = yield* Effect.forkDetach(nameOf(asking, "user"), { startImmediately: true })
            return "done"
          })
        assert.strictEqual(yield* send(handler), "done")
        assert.isTrue(left !== undefined && Exit.hasInterrupts(yield* Fiber.await(left)))
      }))
  }
})

describe("a round", () => {
  it.effect("collects what is asked at the same time", () =>
    Effect.gen(function*() {
      const handler: Handler<string, unknown, never> = (asking) =>
        Effect.map(
          Effect.all([
            nameOf(asking, "a"),
            Effect.andThen(Effect.yieldNow, nameOf(asking, "b")),
            Effect.andThen(Effect.promise(() => Promise.resolve()), nameOf(asking, "c")),
            Effect.flatMap(Effect.forkChild(nameOf(asking, "d")), Fiber.join),
            asking.listRoots("e").pipe(Effect.as({ _tag: "Accepted" as const }))
          ], { concurrency: "unbounded" }),
          (answers) => answers.map(({ _tag }) => _tag).join(" ")
        )
      const yes = accept({ name: "x" })
      const { result, rounds } = yield* converse(handler, { a: yes, b: yes, c: yes, d: yes, e: { roots: [] } })
      assert.strictEqual(result, "Accepted Accepted Accepted Accepted Accepted")
      assert.deepStrictEqual(rounds.map((keys) => keys.toSorted()), [["a", "b", "c", "d", "e"]])
    }))

  it.effect("waits for a once that is under way, so that its result is not lost", () =>
    Effect.gen(function*() {
      let runs = 0
      const handler: Handler<unknown, unknown, never> = (asking) =>
        Effect.all([
          nameOf(asking, "a"),
          Effect.andThen(
            asking.memo("slow", Schema.Int, Effect.delay(Effect.sync(() => ++runs), "1 minute")),
            nameOf(asking, "b")
          )
        ], { concurrency: "unbounded" })
      const sending = yield* Effect.forkChild(send(handler), { startImmediately: true })
      for (let turn = 0; turn < 10; turn++) yield* Effect.yieldNow
      assert.isUndefined(sending.pollUnsafe())
      yield* TestClock.adjust("1 minute")
      const first = yield* Fiber.join(sending)
      assert.deepStrictEqual(Object.keys(asked(first).inputRequests), ["a", "b"])
      yield* send(handler, { params: retry(first, { a: accept({ name: "A" }), b: accept({ name: "B" }) }) })
      assert.strictEqual(runs, 1)
    }))

  it.effect("does not wait for a once that itself waits for an answer", () =>
    Effect.gen(function*() {
      const inner: Handler<string, unknown, never> = (asking) =>
        asking.memo("outer", Schema.String, asking.memo("inner", Schema.String, Effect.orDie(greet(asking))))
      assert.deepStrictEqual(yield* converse(inner, { user: accept({ name: "Ann" }) }), {
        result: "hello Ann",
        rounds: [["user"]]
      })
    }))

  it.effect("does not ask what its handler no longer waits for", () =>
    Effect.gen(function*() {
      const handler: Handler<unknown, unknown, never> = (asking) =>
        Effect.andThen(
          Effect.raceFirst(nameOf(asking, "loser"), Effect.as(Effect.yieldNow, "won")),
          nameOf(asking, "winner")
        )
      const first = yield* send(handler)
      assert.deepStrictEqual(Object.keys(asked(first).inputRequests), ["winner"])
    }))

  it.effect("ends a handler that cannot be interrupted, and hears no answer that it invents", () =>
    Effect.gen(function*() {
      const handler: Handler<unknown, unknown, never> = (asking) =>
        Effect.uninterruptible(Effect.catchCause(nameOf(asking, "user"), () => Effect.succeed("nobody asked")))
      assert.deepStrictEqual(Object.keys(asked(yield* send(handler)).inputRequests), ["user"])
    }))

  it.effect("ends a handler that waits for something else than its question", () =>
    Effect.gen(function*() {
      const handler: Handler<unknown, unknown, never> = (asking) =>
        Effect.andThen(Effect.forkChild(nameOf(asking, "user")), Effect.never)
      assert.deepStrictEqual(Object.keys(asked(yield* send(handler)).inputRequests), ["user"])
    }))

  it.effect("runs the finalizers of its handler before it is answered, and hears one that dies", () =>
    Effect.gen(function*() {
      const seen: Array<string> = []
      const handler: Handler<unknown, unknown, never> = (asking) =>
        Effect.onExit(
          nameOf(asking, "user"),
          (exit) => Effect.sync(() => void seen.push(Exit.hasInterrupts(exit) ? "interrupted" : "ended"))
        )
      yield* send(handler)
      assert.deepStrictEqual(seen, ["interrupted"])
      const dying: Handler<unknown, unknown, never> = (asking) =>
        Effect.ensuring(nameOf(asking, "user"), Effect.die("no lock to give back"))
      const exit = yield* Effect.exit(send(dying))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause) && !Cause.hasInterrupts(exit.cause))
      const left: Handler<unknown, unknown, never> = () =>
        Effect.ensuring(Effect.never, Effect.die("no lock to give back"))
      const call = yield* Effect.forkChild(send(left), { startImmediately: true })
      yield* Effect.yieldNow
      yield* Fiber.interrupt(call)
      const end = yield* Fiber.await(call)
      assert.isTrue(Exit.isFailure(end) && Cause.hasDies(end.cause) && Cause.hasInterrupts(end.cause))
    }))

  it.effect("asks nothing from finalizers", () =>
    Effect.gen(function*() {
      const handler: Handler<unknown, unknown, never> = (asking) =>
        Effect.ensuring(nameOf(asking, "user"), Effect.ignore(Effect.exit(nameOf(asking, "late"))))
      assert.deepStrictEqual(Object.keys(asked(yield* send(handler)).inputRequests), ["user"])
    }))

  it.effect("that is interrupted leaves nothing: its handler has ended, nothing is sealed, nothing recorded", () =>
    Effect.gen(function*() {
      let sealed = 0
      const ended: Array<string> = []
      const inner = yield* SealedState.make()
      const state: SealedState.SealedState = {
        ...inner,
        seal: (...given) => Effect.suspend(() => (sealed++, inner.seal(...given)))
      }
      const handler: Handler<unknown, unknown, never> = (asking) =>
        Effect.all([
          Effect.onInterrupt(nameOf(asking, "a"), () => Effect.sync(() => void ended.push("question"))),
          Effect.onInterrupt(asking.memo("b", Schema.Void, Effect.never), () =>
            Effect.sync(() => void ended.push("once")))
        ], { concurrency: "unbounded" })
      const sending = yield* Effect.forkChild(send(handler, { state }), { startImmediately: true })
      for (let turn = 0; turn < 10; turn++) yield* Effect.yieldNow
      yield* Fiber.interrupt(sending)
      assert.deepStrictEqual(ended.toSorted(), ["once", "question"])
      assert.strictEqual(sealed, 0)
      const exit = sending.pollUnsafe()
      assert.isTrue(exit !== undefined && Exit.hasInterrupts(exit))
    }))
})

describe("code before a question", () => {
  it.effect("runs once more for each round, and what stands in once does not", () =>
    Effect.gen(function*() {
      const runs = { before: 0, once: 0, between: 0, after: 0 }
      const count = (name: keyof typeof runs) => Effect.sync(() => ++runs[name])
      const handler: Handler<string, unknown, never> = (asking) =>
        Effect.gen(function*() {
          yield* count("before")
          const order = yield* asking.memo("order", Schema.Int, count("once"))
          yield* nameOf(asking, "one")
          yield* count("between")
          yield* nameOf(asking, "two")
          yield* count("after")
          return `order ${order}`
        })
      const yes = accept({ name: "x" })
      assert.deepStrictEqual(yield* converse(handler, { one: yes, two: yes }), {
        result: "order 1",
        rounds: [["one"], ["two"]]
      })
      assert.deepStrictEqual(runs, { before: 3, once: 1, between: 2, after: 1 })
    }))

  it.effect("gets what once gave as its Schema decodes it, nothing among it", () =>
    Effect.gen(function*() {
      const handler: Handler<unknown, unknown, never> = (asking) =>
        Effect.gen(function*() {
          const date = yield* asking.memo("date", Schema.Date, Effect.succeed(new Date(5)))
          const nothing = yield* asking.memo("nothing", Schema.Void, Effect.void)
          const none = yield* asking.memo("none", Schema.NullOr(Schema.String), Effect.succeed(null))
          yield* nameOf(asking, "user")
          return { date, nothing, none }
        })
      const { result } = yield* converse(handler, { user: { action: "cancel" } })
      assert.deepStrictEqual(result, { date: new Date(5), nothing: undefined, none: null })
    }))

  it.effect("runs a once again that failed", () =>
    Effect.gen(function*() {
      let runs = 0
      const handler: Handler<unknown, unknown, never> = (asking) =>
        Effect.andThen(
          Effect.exit(asking.memo(
            "flaky",
            Schema.Int,
            Effect.suspend(() => ++runs < 3 ? Effect.fail("not yet") : Effect.succeed(runs))
          )),
          Effect.andThen(nameOf(asking, "one"), nameOf(asking, "two"))
        )
      yield* converse(handler, { one: { action: "cancel" }, two: { action: "cancel" } })
      assert.strictEqual(runs, 3)
    }))

  it.effect("does not run a once again whose recorded result no longer fits", () =>
    Effect.gen(function*() {
      let runs = 0
      const recording: Handler<unknown, unknown, never> = (asking) =>
        Effect.andThen(asking.memo("k", Schema.Int, Effect.sync(() => ++runs)), nameOf(asking, "user"))
      const changed: Handler<unknown, unknown, never> = (asking) =>
        asking.memo("k", Schema.String, Effect.sync(() => String(++runs)))
      const first = yield* send(recording)
      const exit = yield* Effect.exit(send(changed, { params: retry(first, {}) }))
      assert.isTrue(Exit.hasDies(exit))
      assert.strictEqual(runs, 1)
    }))
})

describe("a key", () => {
  it.effect("used twice in one call is a defect", () =>
    Effect.gen(function*() {
      const twice: ReadonlyArray<Handler<unknown, unknown, never>> = [
        (asking) => Effect.andThen(nameOf(asking, "user"), nameOf(asking, "user")),
        (asking) => Effect.andThen(nameOf(asking, "user"), asking.memo("user", Schema.Void, Effect.void)),
        (asking) =>
          Effect.andThen(
            asking.memo("user", Schema.Void, Effect.void),
            asking.memo("user", Schema.Void, Effect.void)
          )
      ]
      for (const handler of twice) {
        const given = { ...params, inputResponses: { user: accept({ name: "Ann" }) } }
        assert.isTrue(Exit.hasDies(yield* Effect.exit(send(handler, { params: given }))))
      }
    }))

  it.effect("may have any name", () =>
    Effect.gen(function*() {
      const names = ["__proto__", "constructor", "", "a.b", "é"]
      const handler: Handler<number, unknown, never> = (asking) =>
        Effect.map(Effect.all(names.map((name) => nameOf(asking, name))), (answers) => answers.length)
      const answers = Object.fromEntries(names.map((name) => [name, accept({ name })]))
      const { result, rounds } = yield* converse(handler, answers)
      assert.strictEqual(result, names.length)
      assert.deepStrictEqual(rounds, names.map((name) => [name]))
    }))
})
