import { assert, describe, it } from "@effect/vitest"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import { Cause, Deferred, Effect, Exit, Fiber, type Schema } from "effect"
import { TestClock } from "effect/testing"
import type { McpHandlers } from "../../src/client/McpHandlers.ts"
import type { ElicitResult } from "../../src/payload/Elicitation.ts"
import type { SampleResult } from "../../src/payload/Sampling.ts"
import * as Scripted from "./scripted.ts"

const form = {
  type: "object",
  properties: {
    name: { type: "string", default: "Ada" },
    age: { type: "integer", default: 36 },
    sure: { type: "boolean", default: true },
    colour: { type: "string", enum: ["red", "blue"], default: "blue" },
    note: { type: "string" }
  },
  required: ["name"]
}

const asking = { mode: "form", message: "who?", requestedSchema: form }

const sampling = { messages: [{ role: "user", content: { type: "text", text: "2 + 2?" } }], maxTokens: 10 }

const four: SampleResult = {
  role: "assistant",
  content: { type: "text", text: "4" },
  model: "m",
  stopReason: "endTurn"
}

const handlers: McpHandlers = {
  elicit: () => Effect.succeed<ElicitResult>({ action: "accept", content: { name: "Grace" } }),
  elicitUrl: () => Effect.succeed<ElicitResult>({ action: "decline" }),
  sample: () => Effect.succeed(four),
  roots: Effect.succeed([{ uri: "file:///home", name: "home" }])
}

const filled = { name: "Grace", age: 36, sure: true, colour: "blue" }

const done: Schema.JsonObject = { content: [{ type: "text", text: "done" }] }

const nameOf = (params: unknown): string => (params as { readonly name: string }).name

describe("questions of a legacy server", () => {
  it.effect("handlers answer them, and are the capabilities that are declared", () =>
    Effect.gen(function*() {
      const { server, written } = yield* Scripted.connect(Scripted.legacy(), { handlers })
      assert.deepInclude(Scripted.of(written, "initialize")[0]?.params, {
        capabilities: { roots: { listChanged: true }, sampling: {}, elicitation: { form: {}, url: {} } }
      })
      assert.deepStrictEqual(yield* server.request("sampling/createMessage", sampling), { ...four })
      assert.deepStrictEqual(yield* server.request("roots/list"), { roots: [{ uri: "file:///home", name: "home" }] })
      assert.deepStrictEqual(
        yield* server.request("elicitation/create", {
          mode: "url",
          message: "go",
          url: "https://a",
          elicitationId: "1"
        }),
        { action: "decline" }
      )
      assert.deepStrictEqual(yield* server.request("ping"), {})
    }))

  it.effect("an accepted form has the defaults of what was left out", () =>
    Effect.gen(function*() {
      const { server } = yield* Scripted.connect(Scripted.legacy(), { handlers })
      assert.deepStrictEqual(yield* server.request("elicitation/create", asking), { action: "accept", content: filled })
    }))

  it.effect("an answer that does not fit the form is an error, and a declined one has no content", () =>
    Effect.gen(function*() {
      let answer: ElicitResult = { action: "accept", content: { age: "old" } }
      const { server } = yield* Scripted.connect(Scripted.legacy(), {
        handlers: { elicit: () => Effect.suspend(() => Effect.succeed(answer)) }
      })
      const wrong = yield* Effect.flip(server.request("elicitation/create", asking))
      assert.deepInclude(wrong, { _tag: "RemoteError", code: -32603 })
      answer = { action: "cancel", content: { age: 7 } }
      assert.deepStrictEqual(yield* server.request("elicitation/create", asking), { action: "cancel" })
    }))

  it.effect("what there is no handler for is refused, and so is a kind that was not declared", () =>
    Effect.gen(function*() {
      const bare = yield* Scripted.connect(Scripted.legacy())
      for (const method of ["elicitation/create", "sampling/createMessage", "roots/list", "tools/list"]) {
        const params = method === "elicitation/create" ? asking : sampling
        const error = yield* Effect.flip(bare.server.request(method, params))
        assert.deepInclude(error, { _tag: "RemoteError", code: -32601 })
      }
      const { server } = yield* Scripted.connect(Scripted.legacy(), {
        handlers: {
          elicit: () => Effect.succeed<ElicitResult>({ action: "decline" }),
          sample: () => Effect.succeed(four)
        }
      })
      const url = { mode: "url", message: "go", url: "https://a", elicitationId: "1" }
      assert.deepInclude(yield* Effect.flip(server.request("elicitation/create", url)), { code: -32602 })
      const withTools = { ...sampling, tools: [{ name: "t", inputSchema: { type: "object" } }] }
      assert.deepInclude(yield* Effect.flip(server.request("sampling/createMessage", withTools)), { code: -32602 })
      const withChoice = { ...sampling, toolChoice: { mode: "none" } }
      assert.deepInclude(yield* Effect.flip(server.request("sampling/createMessage", withChoice)), { code: -32602 })
      assert.deepInclude(yield* Effect.flip(server.request("elicitation/create", { mode: "form" })), { code: -32602 })
    }))

  it.effect("an address is refused before its handler sees it, unless it is https or http of this machine", () =>
    Effect.gen(function*() {
      const opened: Array<string> = []
      const { server } = yield* Scripted.connect(Scripted.legacy(), {
        handlers: {
          elicitUrl: ({ url }) => Effect.as(Effect.sync(() => opened.push(url)), { action: "accept" as const })
        }
      })
      const ask = (url: string) =>
        Effect.exit(server.request("elicitation/create", { mode: "url", message: "go", url, elicitationId: "1" }))
      for (
        const url of [
          "javascript:alert(1)",
          "https://bank.example\\@evil.example/",
          "http://example.org/",
          "https://bank.example\n.evil.example/",
          "https://a@b/"
        ]
      ) {
        const exit = yield* ask(url)
        assert.include(JSON.stringify(exit), "-32602")
      }
      yield* ask("https://example.org/")
      yield* ask("http://127.0.0.1:4000/")
      assert.deepStrictEqual(opened, ["https://example.org/", "http://127.0.0.1:4000/"])
    }))

  it.effect("a question that the server cancels interrupts its handler", () =>
    Effect.gen(function*() {
      const started = yield* Deferred.make<void>()
      const stopped = yield* Deferred.make<void>()
      const { server } = yield* Scripted.connect(Scripted.legacy(), {
        handlers: {
          sample: () =>
            Effect.andThen(Deferred.succeed(started, undefined), Effect.never).pipe(
              Effect.onInterrupt(() => Deferred.succeed(stopped, undefined))
            )
        }
      })
      const asked = yield* Effect.forkChild(server.request("sampling/createMessage", sampling))
      yield* Deferred.await(started)
      yield* Fiber.interrupt(asked)
      yield* Deferred.await(stopped)
      assert.isTrue(Exit.isFailure(yield* Fiber.await(asked)))
    }))
})

describe("rounds of a modern call", () => {
  const ask = (inputRequests: Schema.JsonObject | undefined, requestState?: string): Schema.JsonObject => ({
    resultType: "input_required",
    ...(inputRequests !== undefined && { inputRequests }),
    ...(requestState !== undefined && { requestState })
  })

  const questions: Schema.JsonObject = {
    who: { method: "elicitation/create", params: asking },
    sum: { method: "sampling/createMessage", params: sampling },
    where: { method: "roots/list" }
  }

  it.effect("a call is made again with a new id, the same params, every answer and the state as it came", () =>
    Effect.gen(function*() {
      const state = "  +/=ünverändert\u0000 "
      const { client, written } = yield* Scripted.connect(
        Scripted.modern({
          "tools/call": ({ params }) =>
            Effect.succeed(Object.hasOwn(params ?? {}, "requestState") ? done : ask(questions, state))
        }),
        { handlers }
      )
      const result = yield* client.callTool("t", { a: 1 }, { meta: { k: "v" } })
      assert.deepInclude(result, done)
      const [first, second] = Scripted.of(written, "tools/call")
      assert.notStrictEqual(first?.id, second?.id)
      const { _meta, inputResponses, requestState, ...params } = second?.params ?? {}
      assert.deepStrictEqual(params, { name: "t", arguments: { a: 1 } })
      assert.strictEqual(requestState, state)
      assert.deepInclude(_meta, { k: "v", "io.modelcontextprotocol/protocolVersion": "2026-07-28" })
      assert.deepStrictEqual(inputResponses, {
        who: { action: "accept", content: filled },
        sum: { ...four },
        where: { roots: [{ uri: "file:///home", name: "home" }] }
      })
      assert.notProperty(first?.params, "inputResponses")
    }))

  it.effect("the state is left out where none came, and the answers where nothing was asked", () =>
    Effect.gen(function*() {
      const { client, written } = yield* Scripted.connect(
        Scripted.modern({
          "tools/call": ({ params }) => {
            if (Object.hasOwn(params ?? {}, "requestState")) return Effect.succeed(done)
            return Effect.succeed(
              Object.hasOwn(params ?? {}, "inputResponses")
                ? ask(undefined, "s")
                : ask({ where: { method: "roots/list" } })
            )
          }
        }),
        { handlers }
      )
      yield* client.callTool("t")
      const [, second, third] = Scripted.of(written, "tools/call")
      assert.notProperty(second?.params, "requestState")
      assert.notProperty(third?.params, "inputResponses")
    }))

  it.effect("the questions of a round are answered at once", () =>
    Effect.gen(function*() {
      let waiting = 0
      const both = yield* Deferred.make<void>()
      const wait = Effect.suspend(() => ++waiting === 2 ? Deferred.succeed(both, undefined) : Deferred.await(both))
      const { client } = yield* Scripted.connect(
        Scripted.modern({
          "tools/call": ({ params }) =>
            Effect.succeed(Object.hasOwn(params ?? {}, "inputResponses") ? done : ask(questions))
        }),
        {
          handlers: {
            ...handlers,
            sample: () => Effect.as(wait, four),
            elicit: () => Effect.as(wait, { action: "decline" as const })
          }
        }
      )
      assert.deepInclude(yield* client.callTool("t"), done)
    }))

  it.effect("a person may take as long as they like, for the time of a call is that of its round", () =>
    Effect.gen(function*() {
      const { client } = yield* Scripted.connect(
        Scripted.modern({
          "tools/call": ({ params }) =>
            Effect.succeed(Object.hasOwn(params ?? {}, "inputResponses") ? done : ask(questions))
        }),
        { handlers: { ...handlers, elicit: () => Effect.as(Effect.sleep("1 hour"), { action: "decline" as const }) } }
      )
      const call = yield* Effect.forkChild(client.callTool("t"))
      yield* TestClock.adjust("1 hour")
      assert.deepInclude(yield* Fiber.join(call), done)
    }))

  it.effect("a server that asks for ever is stopped after so many rounds", () =>
    Effect.gen(function*() {
      const { client, written } = yield* Scripted.connect(
        Scripted.modern({ "tools/call": Scripted.always(ask(undefined, "again")) }),
        { maxInputRounds: 3 }
      )
      const error = yield* Effect.flip(client.callTool("t"))
      assert.deepInclude(error, { _tag: "InputRefused", method: "tools/call", rule: "it still asks after 3 rounds" })
      assert.lengthOf(Scripted.of(written, "tools/call"), 4)
    }))

  it.effect("a round that asks more than 64 questions, or whose state is too long, is refused", () =>
    Effect.gen(function*() {
      const asked = (count: number) =>
        Object.fromEntries(Array.from({ length: count }, (_, index) => [`q${index}`, { method: "roots/list" }]))
      const refusal = (first: Schema.JsonObject) =>
        Effect.gen(function*() {
          const { client, written } = yield* Scripted.connect(
            Scripted.modern({
              "tools/call": ({ params }) =>
                Effect.succeed(
                  Object.hasOwn(params ?? {}, "inputResponses") || Object.hasOwn(params ?? {}, "requestState")
                    ? done
                    : first
                )
            }),
            { handlers }
          )
          const exit = yield* Effect.exit(client.callTool("t"))
          return [Exit.isFailure(exit) && Cause.squash(exit.cause), Scripted.of(written, "tools/call").length]
        })
      assert.deepStrictEqual(yield* refusal(ask(asked(64))), [false, 2])
      assert.deepStrictEqual(yield* refusal(ask(undefined, "s".repeat(256 * 1024))), [false, 2])
      const [many, once] = yield* refusal(ask(asked(65)))
      assert.deepInclude(many, { _tag: "InputRefused", rule: "it asks more than 64 questions at once" })
      assert.strictEqual(once, 1)
      const [long] = yield* refusal(ask(undefined, "s".repeat(256 * 1024 + 1)))
      assert.deepInclude(long, { _tag: "InputRefused", rule: "its requestState has more than 262144 characters" })
    }))

  it.effect("a question without a handler, or whose handler fails, fails the call", () =>
    Effect.gen(function*() {
      const serve = Scripted.modern({
        "tools/call": Scripted.always(ask({ sum: { method: "sampling/createMessage", params: sampling } }))
      })
      const bare = yield* Scripted.connect(serve)
      assert.deepInclude(yield* Effect.flip(bare.client.callTool("t")), {
        _tag: "InputRefused",
        asked: "sampling/createMessage",
        rule: "no handler for it was given"
      })
      const failing = yield* Scripted.connect(serve, {
        handlers: { sample: () => Effect.fail(ErrorResponse.make(1, "the model sleeps")) }
      })
      const error = yield* Effect.flip(failing.client.callTool("t"))
      assert.deepInclude(error, { _tag: "InputRefused", rule: "the model sleeps" })
    }))

  it.effect("prompts and resources may ask as well, and what came after a question is not kept", () =>
    Effect.gen(function*() {
      const asked = (final: Schema.Json) => ({ params }: { readonly params: unknown }) =>
        Effect.succeed(
          Object.hasOwn(params ?? {}, "inputResponses") ? final : ask({ where: { method: "roots/list" } })
        )
      const { client, written } = yield* Scripted.connect(
        Scripted.modern({
          "prompts/get": asked({ messages: [] }),
          "resources/read": asked({ contents: [], ttlMs: 60_000, cacheScope: "public" })
        }),
        { handlers }
      )
      yield* client.getPrompt("p")
      yield* client.readResource("a:")
      yield* client.readResource("a:")
      assert.lengthOf(Scripted.of(written, "prompts/get"), 2)
      assert.lengthOf(Scripted.of(written, "resources/read"), 4)
    }))

  it.effect("a modern server's own requests are refused", () =>
    Effect.gen(function*() {
      const { server } = yield* Scripted.connect(Scripted.modern(), { handlers })
      for (const method of ["roots/list", "sampling/createMessage", "ping"]) {
        const error = yield* Effect.flip(server.request(method, method === "roots/list" ? undefined : sampling))
        assert.deepInclude(error, { _tag: "RemoteError", code: -32601 })
      }
    }))

  it.effect("no call but these three may ask, and no result may be of an unknown kind", () =>
    Effect.gen(function*() {
      const { client } = yield* Scripted.connect(
        Scripted.modern({
          "tools/list": Scripted.always(ask(undefined, "s")),
          "tools/call": ({ params }) =>
            Effect.succeed({ ...done, resultType: nameOf(params) === "known" ? "complete" : "surprise" })
        }),
        { handlers }
      )
      assert.strictEqual((yield* Effect.flip(client.listTools()))._tag, "InvalidResult")
      assert.deepInclude(yield* Effect.flip(client.callTool("t")), { _tag: "InvalidResult", path: ["resultType"] })
      assert.deepInclude(yield* client.callTool("known"), done)
    }))
})
