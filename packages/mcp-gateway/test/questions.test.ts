import { assert, describe, it } from "@effect/vitest"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import * as Content from "@parley/mcp/payload/Content"
import * as McpError from "@parley/mcp/wire/McpError"
import { InvalidArguments } from "@parley/peer/Caller"
import { ErrorCode } from "@parley/protocol/shared"
import { Deferred, Effect, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import * as failures from "../src/internal/upstream/failures.ts"
import * as asking from "./support/asking.ts"
import { clientOf, named, pairs, through } from "./support/pairs.ts"

const text = (result: { readonly content: ReadonlyArray<unknown> }) => result.content

describe("what a server asks", () => {
  for (const pair of pairs) {
    it.effect(`reaches the client before us: ${named(pair)}`, () =>
      Effect.gen(function*() {
        const { runs, server } = yield* asking.make
        const near = yield* through(server, pair.far)
        const client = yield* clientOf(near, { protocolVersion: pair.near, handlers: asking.handlers("Ada") })
        assert.deepStrictEqual(text(yield* client.callTool("greet")), [Content.text("Ada")])
        assert.deepStrictEqual(text(yield* client.callTool("book")), [Content.text(asking.booked("Ada", 1))])
        assert.strictEqual(runs.charged, 1)
      }))

    it.effect(`reaches no other client, however many call at once: ${named(pair)}`, () =>
      Effect.gen(function*() {
        const { server } = yield* asking.make
        const near = yield* through(server, pair.far)
        const names = Array.from({ length: 8 }, (_, index) => `client-${index}`)
        const clients = yield* Effect.forEach(names, (name) =>
          Effect.map(
            clientOf(near, { protocolVersion: pair.near, handlers: asking.handlers(name) }),
            (client) => ({ client, name })
          ))
        const calls = Effect.forEach(
          clients,
          ({ client, name }) =>
            Effect.forEach(["a", "b", "c"], (as) =>
              Effect.map(client.callTool("twice", { as }), ({ content }) => {
                const person = { _tag: "Accepted", content: { name } }
                assert.deepStrictEqual(content, [
                  Content.text(JSON.stringify([as, person, [{ uri: `file:///${name}` }]]))
                ])
              }), { concurrency: "unbounded" }),
          { concurrency: "unbounded" }
        )
        yield* calls
        // Connections that a call has opened serve other calls now.
        yield* calls
      }))

    it.effect(`is none of what the client cannot be asked: ${named(pair)}`, () =>
      Effect.gen(function*() {
        const heard: Array<string> = []
        const server = yield* McpServer.make({
          name: "curious",
          version: "1",
          features: [
            McpTool.make("look", {}, (_, call) =>
              Effect.sync(() => {
                const { extensions, ...capabilities } = call.client.capabilities
                // By this an upstream knows itself.
                assert.deepStrictEqual(Object.keys(extensions ?? {}), ["io.parley/upstream"])
                heard.push(Object.keys(capabilities).toSorted().join())
                return "seen"
              }))
          ]
        })
        const near = yield* through(server, pair.far)
        const { elicit, roots, sample } = asking.handlers("Ada")
        for (const handlers of [{}, { elicit }, { sample, roots }]) {
          const client = yield* clientOf(near, { protocolVersion: pair.near, handlers })
          yield* client.callTool("look")
        }
        assert.deepStrictEqual(heard, ["", "elicitation", "roots,sampling"])
      }))
  }
})

it.effect("an answer that the server has does not travel on with the state of its call", () =>
  Effect.gen(function*() {
    const long = "x".repeat(40_000)
    const far = yield* McpServer.make({
      name: "agent",
      version: "1",
      features: [
        McpTool.make("think", {}, (_, call) =>
          Effect.map(
            Effect.forEach(
              ["a", "b", "c", "d"],
              (key) => call.sample(key, { messages: [{ role: "user", content: Content.text(key) }], maxTokens: 10 })
            ),
            (all) => String(all.length)
          ))
      ]
    })
    const near = yield* through(far, "2025-11-25")
    const client = yield* clientOf(near, {
      protocolVersion: "2026-07-28",
      handlers: {
        sample: () => Effect.succeed({ role: "assistant" as const, content: Content.text(long), model: "none" })
      }
    })
    assert.deepStrictEqual(text(yield* client.callTool("think")), [Content.text("4")])
  }))

it.effect("a question of a call that was cancelled reaches nobody, though the server goes on with it", () =>
  Effect.gen(function*() {
    const started = yield* Deferred.make<void>()
    const late = yield* Deferred.make<void>()
    const asked = yield* Deferred.make<string>()
    const far = yield* McpServer.make({
      name: "stubborn",
      version: "1",
      features: [
        McpTool.make("go", {}, (_, call) =>
          Deferred.succeed(started, undefined).pipe(
            Effect.andThen(Deferred.await(late)),
            Effect.andThen(Effect.exit(
              call.elicit("name", { message: "Whose am I?", fields: { name: Schema.String } })
            )),
            Effect.flatMap(({ _tag }) => Deferred.succeed(asked, _tag)),
            Effect.as("gone"),
            Effect.uninterruptible
          )),
        McpTool.make("wait", {}, () => Effect.as(Deferred.await(asked), "waited"))
      ]
    })
    const near = yield* through(far, "2025-11-25")
    const questions: Array<string> = []
    const client = yield* clientOf(near, {
      protocolVersion: "2026-07-28",
      handlers: {
        elicit: ({ message }) => {
          questions.push(message)
          return Effect.succeed({ action: "accept" as const, content: { name: "mine" } })
        }
      }
    })
    const cancelled = yield* Effect.forkChild(client.callTool("go"))
    yield* Deferred.await(started)
    yield* Fiber.interrupt(cancelled)
    yield* Effect.forEach(Array.from({ length: 50 }), () => Effect.yieldNow)
    // Another call of the same client, which could use the same connection.
    const waiting = yield* Effect.forkChild(client.callTool("wait"))
    yield* Effect.forEach(Array.from({ length: 50 }), () => Effect.yieldNow)
    yield* Deferred.succeed(late, undefined)
    assert.strictEqual(yield* Deferred.await(asked), "Failure")
    yield* Fiber.join(waiting)
    assert.deepStrictEqual(questions, [])
  }))

it("a question that cannot be sent as its server wrote it is one with invalid params", () => {
  const cause = new TypeError("messages.0: only the assistant uses tools")
  const { code, message } = failures.refusal(new InvalidArguments({ method: "sampling/createMessage", cause }))
  assert.strictEqual(code, ErrorCode.InvalidParams)
  assert.include(message, "only the assistant uses tools")
})

describe("a call that waits for its client", () => {
  /** A modern client before a legacy server, which asks by itself: a test makes the rounds. */
  const waiting = Effect.fnUntraced(function*(options: Parameters<typeof through>[2] = {}) {
    const ended = yield* Deferred.make<string>()
    const server = yield* McpServer.make({
      name: "patient",
      version: "1",
      features: [
        McpTool.make("wait", {}, (_, call) =>
          Effect.onExit(
            Effect.as(call.elicit("name", { message: "Your name?", fields: { name: Schema.String } }), "done"),
            (exit) => Deferred.succeed(ended, exit._tag)
          ))
      ]
    })
    const near = yield* through(server, "2025-11-25", options)
    const client = yield* clientOf(near, { protocolVersion: "2026-07-28", handlers: asking.handlers("Ada") })
    /** One request, whose result may ask. */
    const once = (params: Schema.JsonObject = {}) =>
      Effect.map(
        client.request("tools/call", { name: "wait", arguments: {}, ...params }),
        (result) => result as { readonly requestState?: string; readonly resultType?: string }
      )
    return { once, ended }
  })

  const answers = { "question-1": { action: "accept", content: { name: "Ada" } } }

  it.effect("goes on meanwhile, and the retry has its result", () =>
    Effect.gen(function*() {
      const { once } = yield* waiting()
      const asked = yield* once()
      assert.strictEqual(asked.resultType, "input_required")
      const done = yield* once({ requestState: asked.requestState ?? "", inputResponses: answers })
      assert.strictEqual(done.resultType, "complete")
    }))

  it.effect("is given up after the patience, and the server is told", () =>
    Effect.gen(function*() {
      const { ended, once } = yield* waiting({ patience: "5 minutes" })
      const { requestState = "" } = yield* once()
      yield* TestClock.adjust("5 minutes")
      assert.strictEqual(yield* Deferred.await(ended), "Failure")
      const error = yield* Effect.flip(once({ requestState, inputResponses: answers }))
      assert.propertyVal(error, "code", McpError.OwnerGone)
    }))

  it.effect("is one of so many", () =>
    Effect.gen(function*() {
      const { once } = yield* waiting({ waiting: 2 })
      yield* once()
      yield* once()
      const error = yield* Effect.flip(once())
      assert.propertyVal(error, "code", McpError.Overloaded)
    }))

  it.effect("ends with its connection where there is no room for another", () =>
    Effect.gen(function*() {
      // One of them is always there, for lists and signs of life.
      const { once } = yield* waiting({ connections: 2 })
      yield* once()
      const error = yield* Effect.flip(once())
      assert.propertyVal(error, "code", McpError.Overloaded)
    }))
})
