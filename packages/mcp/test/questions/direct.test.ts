import { assert, describe, it } from "@effect/vitest"
import type { ClientCapabilities } from "@parley/mcp/payload/Capabilities"
import * as ClientRequests from "@parley/mcp/server/ClientRequests"
import { latestLegacy, type Revision } from "@parley/mcp/wire/Revision"
import * as RevisionCodec from "@parley/mcp/wire/RevisionCodec"
import { type Caller, ErrorResponse, Peer, Router } from "@parley/peer"
import { MemoryTransport } from "@parley/transport"
import { Deferred, Effect, Exit, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"

const able: ClientCapabilities = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} }

/** What a client's handlers see, and a server that asks it over a wire in memory. */
const asking = (
  handlers: Router.Handlers,
  options: { readonly revision?: Revision; readonly capabilities?: ClientCapabilities; readonly timeout?: string } = {}
) =>
  Effect.gen(function*() {
    const [ours, theirs] = yield* MemoryTransport.makePair()
    const router = yield* Router.make()
    yield* router.addAll(handlers)
    const caller: Caller.Caller = yield* Peer.make(ours)
    yield* Peer.make(theirs, { router })
    return ClientRequests.direct({
      caller,
      codec: RevisionCodec.of(options.revision ?? latestLegacy),
      capabilities: options.capabilities ?? able
    })
  })

const Name = { name: Schema.String }
const form = { message: "Who?", fields: Name }
const messages = [{ role: "user" as const, content: { type: "text" as const, text: "?" } }]

describe("asking by requests", () => {
  it.effect("sends the question, and gives the response", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const answer = (result: Schema.Json): Router.Handlers[string] => ({ params }) =>
        Effect.sync(() => (seen.push(params), result))
      const sum = { role: "assistant", content: { type: "text", text: "4" }, model: "m" }
      const ask = yield* asking({
        "elicitation/create": answer({ action: "accept", content: { name: "Ann", more: 1 } }),
        "sampling/createMessage": answer(sum),
        "roots/list": answer({ roots: [{ uri: "file:///w", name: "w" }] })
      })
      assert.deepStrictEqual(yield* ask.elicit("a", form), { _tag: "Accepted", content: { name: "Ann" } })
      assert.deepStrictEqual<unknown>(yield* ask.sample("b", { messages, maxTokens: 5 }), sum)
      assert.deepStrictEqual<unknown>(yield* ask.listRoots(), [{ uri: "file:///w", name: "w" }])
      assert.deepStrictEqual(seen, [
        {
          mode: "form",
          message: "Who?",
          requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] }
        },
        { messages, maxTokens: 5 },
        {}
      ])
    }))

  it.effect("asks nobody to open an address that is neither https nor of this machine", () =>
    Effect.gen(function*() {
      const ask = yield* asking({ "elicitation/create": () => Effect.succeed({ action: "accept" }) })
      for (const url of ["javascript:alert(1)", "http://example.org/", "https://bank.example\n.evil.example/"]) {
        const exit = yield* Effect.exit(ask.elicitUrl("a", { message: "m", url }))
        assert.isTrue(Exit.hasDies(exit))
        assert.include(String(Exit.isFailure(exit) && exit.cause), "https")
      }
    }))

  it.effect("gives each URL an id where the revision wants one, unless it has one", () =>
    Effect.gen(function*() {
      const ids: Array<unknown> = []
      const ask = yield* asking({
        "elicitation/create": ({ params }) =>
          Effect.sync(() => (ids.push(Object(params).elicitationId), { action: "decline" }))
      })
      const url = { message: "m", url: "https://example.org/" }
      assert.deepStrictEqual(yield* ask.elicitUrl("a", url), { _tag: "Declined" })
      yield* ask.elicitUrl("b", url)
      yield* ask.elicitUrl("c", { ...url, elicitationId: "mine" })
      assert.strictEqual(new Set(ids).size, 3)
      assert.isTrue(ids.every((id) => typeof id === "string" && id.length > 0))
      assert.strictEqual(ids[2], "mine")
    }))

  it.effect("asks again under a key whose answer did not fit", () =>
    Effect.gen(function*() {
      let asked = 0
      const ask = yield* asking({
        "elicitation/create": () =>
          Effect.sync(() => ({ action: "accept", content: ++asked < 3 ? {} : { name: "Ann" } }))
      })
      const answer = yield* ask.elicit("user", form).pipe(
        Effect.retry({ while: ({ _tag }) => _tag === "InvalidAnswer" })
      )
      assert.deepStrictEqual(answer, { _tag: "Accepted", content: { name: "Ann" } })
      assert.strictEqual(asked, 3)
    }))

  it.effect("fails as calls fail", () =>
    Effect.gen(function*() {
      const ask = yield* asking({ "elicitation/create": () => Effect.fail(ErrorResponse.make(-1, "no")) })
      assert.deepInclude(yield* Effect.flip(ask.elicit("k", form)), { _tag: "RemoteError", code: -1 })
    }))

  it.effect("waits as long as a person takes, for ten minutes unless it is told otherwise", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const ask = yield* asking({ "elicitation/create": () => Effect.as(Deferred.await(gate), { action: "cancel" }) })
      const waiting = yield* Effect.forkChild(ask.elicit("k", form), { startImmediately: true })
      yield* TestClock.adjust("9 minutes")
      assert.isUndefined(waiting.pollUnsafe())
      yield* Deferred.succeed(gate, undefined)
      assert.deepStrictEqual(yield* Fiber.join(waiting), { _tag: "Cancelled" })
      const mute = yield* asking({ "elicitation/create": () => Effect.never })
      const unanswered = yield* Effect.forkChild(Effect.flip(mute.elicit("k", form)), { startImmediately: true })
      yield* TestClock.adjust("601 seconds")
      assert.deepInclude(yield* Fiber.join(unanswered), { _tag: "RequestTimeout", milliseconds: 600_000 })
    }))

  it.effect("sends nothing that the client did not declare, or its revision does not have", () =>
    Effect.gen(function*() {
      const unsupported = (effect: Effect.Effect<unknown, unknown>) =>
        Effect.map(Effect.flip(effect), (error) => assert.deepInclude(error, { _tag: "ClientCapabilityMissing" }))
      const none = yield* asking({}, { capabilities: {} })
      yield* unsupported(none.elicit("a", form))
      yield* unsupported(none.sample("b", { messages, maxTokens: 1 }))
      yield* unsupported(none.listRoots())
      const early = yield* asking({}, { revision: "2025-03-26" })
      yield* unsupported(early.elicit("a", form))
      const older = yield* asking({}, { revision: "2025-06-18" })
      yield* unsupported(older.elicitUrl("a", { message: "m", url: "https://example.org/" }))
      yield* unsupported(older.elicit("b", { message: "m", fields: { s: Schema.Array(Schema.Literals(["a"])) } }))
      yield* unsupported(older.sample("c", { messages, maxTokens: 1, tools: [] }))
    }))

  it.effect("runs a once once, and takes a key only once", () =>
    Effect.gen(function*() {
      let runs = 0
      const ask = yield* asking({ "elicitation/create": () => Effect.succeed({ action: "cancel" }) })
      const count = Effect.suspend(() => ++runs === 1 ? Effect.fail("not yet") : Effect.succeed(runs))
      assert.strictEqual(yield* Effect.flip(ask.memo("k", Schema.Int, count)), "not yet")
      assert.strictEqual(yield* ask.memo("k", Schema.Int, count), 2)
      assert.isTrue(Exit.hasDies(yield* Effect.exit(ask.memo("k", Schema.Int, count))))
      assert.isTrue(Exit.hasDies(yield* Effect.exit(ask.elicit("k", form))))
      assert.strictEqual(runs, 2)
    }))

  it.effect("is a defect where a form has a field that no form can have", () =>
    Effect.gen(function*() {
      const ask = yield* asking({})
      // @ts-expect-error an object has no place in a form
      const exit = yield* Effect.exit(ask.elicit("k", { message: "m", fields: { o: Schema.Struct({}) } }))
      assert.isTrue(Exit.hasDies(exit))
    }))
})

describe("a call that cannot ask", () => {
  it.effect("says so by a defect, and still runs what is once", () =>
    Effect.gen(function*() {
      const ask = ClientRequests.impossible("completion/complete")
      const questions: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
        ask.elicit("k", form),
        ask.elicitUrl("k", { message: "m", url: "https://example.org/" }),
        ask.sample("k", { messages, maxTokens: 1 }),
        ask.listRoots()
      ]
      for (const question of questions) {
        assert.isTrue(Exit.hasDies(yield* Effect.exit(question)))
      }
      assert.strictEqual(yield* ask.memo("k", Schema.Int, Effect.succeed(1)), 1)
    }))
})
