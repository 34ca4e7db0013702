import { assert, describe, it } from "@effect/vitest"
import * as ClientRequestError from "@parley/mcp/server/ClientRequestError"
import * as SealedState from "@parley/oauth/SealedState"
import { ErrorResponse } from "@parley/peer"
import { Deferred, Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { accept, asked, greet, type Handler, nameOf, params, retry, send, type Sent } from "./retries.ts"

const refusal = <A, R>(effect: Effect.Effect<A, unknown, R>) =>
  Effect.map(Effect.flip(effect), (error) => {
    assert.instanceOf(error, ErrorResponse.ErrorResponse)
    return { code: error.code, message: error.message }
  })

const notForThis = { code: -32602, message: "requestState is not for this request: send the request without it" }

describe("answers", () => {
  it.effect("that are missing are asked for again", () =>
    Effect.gen(function*() {
      const first = yield* send(greet)
      for (const given of [undefined, {}, { other: accept({ name: "Bob" }) }]) {
        const again = yield* send(greet, { params: retry(first, given) })
        assert.deepStrictEqual(asked(again).inputRequests, asked(first).inputRequests)
      }
    }))

  it.effect("to nothing that was asked are ignored, and not kept", () =>
    Effect.gen(function*() {
      const steps: Handler<string, unknown, never> = (asking) =>
        Effect.zipWith(nameOf(asking, "one"), nameOf(asking, "two"), (a, b) => `${a._tag} ${b._tag}`)
      const first = yield* send(steps)
      const both = { one: accept({ name: "A" }), two: accept({ name: "too early" }), more: 5 }
      assert.strictEqual(yield* send(steps, { params: retry(first, both) }), "Accepted Accepted")
      const apart = yield* send(steps, {
        params: retry(first, { one: accept({ name: "A" }), three: { action: "cancel" } })
      })
      const three: Handler<unknown, unknown, never> = (asking) => Effect.andThen(steps(asking), nameOf(asking, "three"))
      const then = yield* send(three, { params: retry(apart, { two: accept({ name: "B" }) }) })
      assert.deepStrictEqual(Object.keys(asked(then).inputRequests), ["three"])
    }))

  it.effect("that were taken once stay, whatever else comes under their key", () =>
    Effect.gen(function*() {
      const steps: Handler<string, unknown, never> = (asking) =>
        Effect.zipWith(nameOf(asking, "one"), nameOf(asking, "two"), (a) => JSON.stringify(a))
      const first = yield* send(steps)
      const second = yield* send(steps, { params: retry(first, { one: accept({ name: "A" }) }) })
      const given = { one: accept({ name: "another" }), two: accept({ name: "B" }) }
      assert.include(yield* send(steps, { params: retry(second, given) }), "\"A\"")
    }))

  it.effect("that came before they were asked for are kept when they are taken", () =>
    Effect.gen(function*() {
      const steps: Handler<string, unknown, never> = (asking) =>
        Effect.zipWith(nameOf(asking, "one"), nameOf(asking, "two"), (a, b) => `${a._tag} ${b._tag}`)
      const second = yield* send(steps, { params: { ...params, inputResponses: { one: accept({ name: "A" }) } } })
      assert.deepStrictEqual(Object.keys(asked(second).inputRequests), ["two"])
      assert.strictEqual(
        yield* send(steps, { params: retry(second, { two: { action: "cancel" } }) }),
        "Accepted Cancelled"
      )
    }))

  it.effect("that came beside the one this round needed are kept for the round that comes to them", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      let slow = false
      const handler: Handler<string, unknown, never> = (asking) =>
        Effect.map(
          Effect.all([
            Effect.andThen(nameOf(asking, "a"), nameOf(asking, "c")),
            Effect.andThen(slow ? Deferred.await(gate) : Effect.void, nameOf(asking, "b"))
          ], { concurrency: "unbounded" }),
          (answers) => JSON.stringify(answers)
        )
      const first = yield* send(handler)
      assert.deepStrictEqual(Object.keys(asked(first).inputRequests), ["a", "b"])
      slow = true
      const second = yield* send(handler, {
        params: retry(first, { a: accept({ name: "A" }), b: accept({ name: "B" }) })
      })
      assert.deepStrictEqual(Object.keys(asked(second).inputRequests), ["c"])
      yield* Deferred.succeed(gate, undefined)
      const last = yield* send(handler, { params: retry(second, { c: accept({ name: "C" }) }) })
      assert.include(last, "\"B\"")
    }))

  const wrong: ReadonlyArray<readonly [answer: Schema.Json, path: ReadonlyArray<string>]> = [
    [12_345, []],
    [null, []],
    ["accept", []],
    [{ action: "maybe" }, ["action"]],
    [{ content: { name: "Ann" } }, ["action"]],
    [accept({ name: 5 }), ["content", "name"]],
    [accept({}), ["content", "name"]],
    [{ action: "accept" }, ["content", "name"]]
  ]
  for (const [answer, path] of wrong) {
    it.effect(`that are no answer fail the question: ${JSON.stringify(answer)}`, () =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(send(greet, { params: { ...params, inputResponses: { user: answer } } }))
        assert.deepInclude(error, { _tag: "InvalidAnswer", key: "user", method: "elicitation/create" })
        assert.deepStrictEqual(Object(error).issues[0].path, path)
      }))
  }

  it.effect("that are no answer can be asked for again under the same key", () =>
    Effect.gen(function*() {
      const Even = { count: Schema.Int.check(Schema.makeFilter((count: number) => count % 2 === 0 || "must be even")) }
      const handler: Handler<unknown, unknown, never> = (asking) =>
        asking.elicit("count", { message: "How many?", fields: Even }).pipe(
          Effect.retry({ while: ({ _tag }) => _tag === "InvalidAnswer" })
        )
      const first = yield* send(handler)
      const odd = yield* send(handler, { params: retry(first, { count: accept({ count: 3 }) }) })
      assert.deepStrictEqual(Object.keys(asked(odd).inputRequests), ["count"])
      const even = yield* send(handler, { params: retry(odd, { count: accept({ count: 4 }) }) })
      assert.deepStrictEqual(even, { _tag: "Accepted", content: { count: 4 } })
    }))

  it.effect("of which the form says nothing are left out", () =>
    Effect.gen(function*() {
      const handler: Handler<unknown, unknown, never> = (asking) => nameOf(asking, "user")
      const given = { user: accept({ name: "Ann", more: 1 }) }
      assert.deepStrictEqual(yield* send(handler, { params: { ...params, inputResponses: given } }), {
        _tag: "Accepted",
        content: { name: "Ann" }
      })
    }))

  for (const inputResponses of [null, 5, "x", []]) {
    it.effect(`that are no object refuse the request: ${JSON.stringify(inputResponses)}`, () =>
      Effect.gen(function*() {
        const { code } = yield* refusal(send(greet, { params: { ...params, inputResponses } }))
        assert.strictEqual(code, -32602)
      }))
  }
})

describe("the state of a request", () => {
  it.effect("may be presented again within its life: a retry of a retry is answered as the first", () =>
    Effect.gen(function*() {
      const first = yield* send(greet)
      const again = { params: retry(first, { user: accept({ name: "Ann" }) }) }
      for (let time = 0; time < 3; time++) assert.strictEqual(yield* send(greet, again), "hello Ann")
      assert.strictEqual(yield* send(greet, { params: retry(first, { user: accept({ name: "Bob" }) }) }), "hello Bob")
    }))

  it.effect("is refused from another principal", () =>
    Effect.gen(function*() {
      const first = yield* send(greet, { principal: "ann" })
      const again = retry(first, { user: accept({ name: "Ann" }) })
      assert.deepStrictEqual(yield* refusal(send(greet, { params: again, principal: "bob" })), notForThis)
      assert.deepStrictEqual(yield* refusal(send(greet, { params: again })), notForThis)
      assert.strictEqual(yield* send(greet, { params: again, principal: "ann" }), "hello Ann")
    }))

  it.effect("is refused for other arguments, another tool, another method; not for another progress token", () =>
    Effect.gen(function*() {
      const first = yield* send(greet)
      const again = retry(first, { user: accept({ name: "Ann" }) })
      assert.deepStrictEqual(yield* refusal(send(greet, { params: { ...again, arguments: { a: 2 } } })), notForThis)
      assert.deepStrictEqual(yield* refusal(send(greet, { params: { ...again, name: "u" } })), notForThis)
      assert.deepStrictEqual(yield* refusal(send(greet, { params: again, method: "prompts/get" })), notForThis)
      assert.strictEqual(yield* send(greet, { params: { ...again, _meta: { progressToken: 7 } } }), "hello Ann")
    }))

  for (const requestState of ["", "x", "a.b", "-TAMPERED"]) {
    it.effect(`is refused where it was changed: ${JSON.stringify(requestState)}`, () =>
      Effect.gen(function*() {
        const first = yield* send(greet)
        const changed = requestState === "-TAMPERED" ? asked(first).requestState + requestState : requestState
        const again = { ...params, inputResponses: { user: accept({ name: "Ann" }) }, requestState: changed }
        assert.deepStrictEqual(yield* refusal(send(greet, { params: again })), notForThis)
      }))
  }

  it.effect("is refused where it is no text", () =>
    Effect.gen(function*() {
      for (const requestState of [null, 5, {}]) {
        assert.strictEqual((yield* refusal(send(greet, { params: { ...params, requestState } }))).code, -32602)
      }
    }))

  it.effect("is refused when its life is over, and that is said", () =>
    Effect.gen(function*() {
      const first = yield* send(greet)
      yield* TestClock.adjust("10 minutes")
      assert.deepStrictEqual(yield* refusal(send(greet, { params: retry(first, { user: accept({ name: "Ann" }) }) })), {
        code: -32602,
        message: "requestState has expired: send the request without it"
      })
    }))

  it.effect("that would be too large fails the request", () =>
    Effect.gen(function*() {
      const state = yield* SealedState.make({ maxBytes: 500 })
      const handler: Handler<unknown, unknown, never> = (asking) =>
        Effect.andThen(asking.memo("long", Schema.String, Effect.succeed("x".repeat(500))), nameOf(asking, "user"))
      assert.strictEqual((yield* refusal(send(handler, { state }))).code, -32603)
    }))
})

describe("a client that did not declare a capability", () => {
  const messages = [{ role: "user" as const, content: { type: "text" as const, text: "?" } }]
  const questions: ReadonlyArray<readonly [needs: Schema.JsonObject, handler: Handler<unknown, unknown, never>]> = [
    [{ elicitation: { form: {} } }, (asking) => nameOf(asking, "k")],
    [{ elicitation: { url: {} } }, (asking) => asking.elicitUrl("k", { message: "m", url: "https://example.org/" })],
    [{ sampling: {} }, (asking) => asking.sample("k", { messages, maxTokens: 1 })],
    [{ sampling: { tools: {} } }, (asking) => asking.sample("k", { messages, maxTokens: 1, tools: [] })],
    [{ roots: {} }, (asking) => asking.listRoots()]
  ]
  for (const [needs, handler] of questions) {
    it.effect(`is not asked for ${JSON.stringify(needs)}, which fails with what is missing`, () =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(send(handler, { capabilities: {} }))
        assert.deepInclude(error, { _tag: "ClientCapabilityMissing", requiredCapabilities: needs })
      }))
  }

  it.effect("can still be asked for what it did declare", () =>
    Effect.gen(function*() {
      const capabilities = { sampling: {}, elicitation: { url: {} } }
      const form = yield* Effect.flip(send((asking) => nameOf(asking, "k"), { capabilities }))
      assert.deepInclude(form, { _tag: "ClientCapabilityMissing", requiredCapabilities: { elicitation: { form: {} } } })
      const tools = yield* Effect.flip(
        send((asking) => asking.sample("k", { messages, maxTokens: 1, toolChoice: {} }), { capabilities })
      )
      assert.deepInclude(tools, { _tag: "ClientCapabilityMissing", requiredCapabilities: { sampling: { tools: {} } } })
      const sampled = yield* send((asking) => asking.sample("k", { messages, maxTokens: 1 }), { capabilities })
      assert.deepStrictEqual(Object.keys(asked(sampled).inputRequests), ["k"])
    }))

  it.effect("is told so by -32021, and by -32602 where an answer of its does not fit", () =>
    Effect.gen(function*() {
      const response = (sent: Sent) =>
        send((asking) => nameOf(asking, "k"), sent).pipe(
          Effect.catchTag(
            ["ClientCapabilityMissing", "InvalidAnswer"],
            (error) => ClientRequestError.toErrorResponse(error)
          ),
          Effect.flip
        )
      assert.deepInclude(yield* response({ capabilities: {} }), {
        code: -32021,
        data: { requiredCapabilities: { elicitation: { form: {} } } }
      })
      const wrong = yield* response({ params: { ...params, inputResponses: { k: accept({ name: 5 }) } } })
      assert.deepInclude(wrong, { code: -32602 })
      assert.deepStrictEqual(Object(wrong).data[0].path, ["inputResponses", "k", "content", "name"])
    }))
})
