/** What our client does with the server of `v1.ts` or `v2.ts`, wherever that is. */
import { assert, type Vitest } from "@effect/vitest"
import { ListChanged, Subscribed, Updated } from "@parley/mcp/client/McpEvent"
import type * as McpClient from "@parley/mcp/McpClient"
import { Cause, Deferred, Effect, Exit, Fiber, Queue, Schema, Stream } from "effect"
import * as foreign from "./foreign.ts"
import { Reached } from "./places.ts"

/** What a server, or the way to it, is like. */
export interface Place {
  readonly name: string
  readonly revision: string
  /** Whether the server can ask its client, and tell it by itself. */
  readonly speaks: boolean
  /** Whether a request keeps nothing for the next one. */
  readonly forgets?: boolean
  readonly forgetsLevel?: boolean
  /** How a tool is refused that there is not. */
  readonly unknownTool: "ProtocolError" | "ToolError"
  /** The code of a resource that there is not. */
  readonly notFound: number
}

const text = (text: string) => [{ type: "text", text }]

/** The blocks of a result, as data. */
const content = (result: { readonly content: unknown }) => result.content

const lines = (result: { readonly content: unknown }): string =>
  // The tools of these servers give one text.
  (result.content as ReadonlyArray<{ readonly text: string }>)[0]?.text ?? ""

const begun = (client: McpClient.McpClient, name: string) =>
  Effect.gen(function*() {
    const call = yield* Effect.forkChild(client.callTool("wait", { name }))
    yield* client.callTool("until", { happens: `${name} began` })
    return call
  })

/** Runs a stream in the background, and gives what it gave so far. */
const gathering = <A, E>(stream: Stream.Stream<A, E>) =>
  Effect.gen(function*() {
    const queue = yield* Queue.unbounded<A>()
    const fiber = yield* Effect.forkChild(Stream.runForEach(stream, (one) => Queue.offer(queue, one)))
    return { next: Queue.take(queue), fiber }
  })

export const promises = (place: Place) => (it: Vitest.MethodsNonLive<Reached>) => {
  it.effect("it comes to the newest revision that both have, and knows the server", () =>
    Effect.gen(function*() {
      const { client } = yield* Reached
      assert.strictEqual(client.protocolVersion, place.revision)
      assert.deepInclude(client.serverInfo, { name: place.name })
      assert.strictEqual(client.instructions, foreign.instructions)
      assert.isDefined(client.capabilities?.tools)
    }))

  it.effect("it lists everything, page after page", () =>
    Effect.gen(function*() {
      const { client } = yield* Reached
      const tools = yield* client.listTools()
      assert.deepStrictEqual(
        tools.map(({ name }) => name).filter((name) => foreign.tools.includes(name)),
        foreign.tools
      )
      assert.deepInclude(tools[0], { title: "Echo" })
      const resources = yield* Stream.runCollect(client.resources)
      assert.deepStrictEqual(resources.map(({ uri }) => uri), ["text://greeting", "data://bytes", "text://third"])
      assert.deepStrictEqual(yield* client.listResources(), resources)
      assert.lengthOf(yield* Stream.runCollect(Stream.take(client.resources, 1)), 1)
      const templates = yield* client.listResourceTemplates()
      assert.deepStrictEqual(templates.map(({ uriTemplate }) => uriTemplate), ["note://{author}"])
      const prompts = yield* Stream.runCollect(client.prompts)
      assert.deepStrictEqual(prompts.map(({ name }) => name), ["greet"])
    }))

  it.effect("it calls tools with every kind of result", () =>
    Effect.gen(function*() {
      const { client } = yield* Reached
      assert.deepStrictEqual(content(yield* client.callTool("echo", { text: "größer 🌍" })), text("größer 🌍"))
      assert.deepStrictEqual((yield* client.callTool("add", { a: 1, b: 2 })).structuredContent, { sum: 3 })
      const result = Schema.Struct({ sum: Schema.Int })
      assert.deepStrictEqual(yield* client.callTool("add", { a: 2, b: 2 }, { result }), { sum: 4 })
      const blocks = (yield* client.callTool("picture")).content
      assert.deepStrictEqual(blocks.map(({ type }) => type), ["image", "resource_link"])
      assert.deepInclude(blocks[0], { data: foreign.pixel, mimeType: "image/png" })
      const calls = Array.from({ length: 40 }, (_, index) => client.callTool("echo", { text: `${index}` }))
      const answers = yield* Effect.all(calls, { concurrency: "unbounded" })
      assert.deepStrictEqual(answers.map(lines), calls.map((_, index) => `${index}`))
    }))

  it.effect("a tool that fails, arguments that do not fit and a tool that is not there are typed failures", () =>
    Effect.gen(function*() {
      const { client } = yield* Reached
      const refused = yield* Effect.flip(client.callTool("refuse"))
      assert.strictEqual(refused._tag, "ToolError")
      assert.strictEqual(refused.message, "the tool refuse failed: not today")
      const misfit = yield* Effect.flip(client.callTool("echo", { text: 1 }))
      assert.strictEqual(misfit._tag, "ToolError")
      assert.match(misfit.message, /text/)
      const nothing = yield* Effect.flip(client.callTool("nothing"))
      assert.strictEqual(nothing._tag, place.unknownTool)
    }))

  it.effect("it hears of the progress of a call, in order and before the result", () =>
    Effect.gen(function*() {
      const { client } = yield* Reached
      const events = yield* Stream.runCollect(client.streamTool("count", { to: 3 }))
      assert.deepStrictEqual(
        events.map((event) => event._tag === "Progress" ? event.progress.message : lines(event.result)),
        ["step 1", "step 2", "step 3", "3 steps"]
      )
    }))

  it.effect("the log of the server is ours, at the level that was asked for", () =>
    Effect.gen(function*() {
      const { client, logs } = yield* Reached
      yield* client.setLogLevel("warning")
      yield* client.callTool("say", { text: "look out" })
      const said = (level: string) => ({ level, message: ["look out"], logger: "foreign", server: place.name })
      // A server that forgets the level sends all.
      const expected = place.forgetsLevel === true ? [said("Debug"), said("Warn")] : [said("Warn")]
      assert.deepStrictEqual(yield* Queue.takeN(logs, expected.length), expected)
      assert.deepStrictEqual(yield* Queue.clear(logs), [])
    }))

  it.effect("a call that is interrupted is interrupted there", () =>
    Effect.gen(function*() {
      const { client } = yield* Reached
      const call = yield* begun(client, "first")
      yield* Fiber.interrupt(call)
      const exit = yield* Fiber.await(call)
      assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
      yield* client.callTool("until", { happens: "first was interrupted" })
    }))

  it.effect("a call whose time is over fails with RequestTimeout, and is interrupted there", () =>
    Effect.gen(function*() {
      const { client } = yield* Reached
      const failed = yield* Effect.flip(client.callTool("wait", { name: "second" }, { timeout: "100 millis" }))
      assert.deepInclude(failed, { _tag: "RequestTimeout", milliseconds: 100 })
      yield* client.callTool("until", { happens: "second was interrupted" })
    }))

  it.effect("it reads resources, of text and of bytes, and those of a template", () =>
    Effect.gen(function*() {
      const { client } = yield* Reached
      const read = (uri: string) => Effect.map(client.readResource(uri), ({ contents }) => contents[0])
      assert.deepInclude(yield* read("text://greeting"), { text: "hello" })
      assert.deepInclude(yield* read("data://bytes"), { blob: foreign.pixel })
      assert.deepInclude(yield* read("note://ada"), { text: "by ada" })
      const missing = yield* Effect.flip(client.readResource("nothing://here"))
      assert.deepInclude(missing, { _tag: "ProtocolError", code: place.notFound })
    }))

  it.effect("it gets prompts, and completes what is typed", () =>
    Effect.gen(function*() {
      const { client } = yield* Reached
      const { messages } = yield* client.getPrompt("greet", { name: "ada" })
      assert.deepStrictEqual(messages.map(({ content, role }) => [role, content as unknown]), [
        ["user", { type: "text", text: "Greet ada." }]
      ])
      const missing = yield* Effect.flip(client.getPrompt("greet"))
      assert.deepInclude(missing, { _tag: "ProtocolError", code: -32602 })
      const values = (ref: McpClient.CompletionRef, name: string) =>
        Effect.map(client.complete(ref, { name, value: "a" }), ({ completion }) => completion.values)
      assert.deepStrictEqual(yield* values({ _tag: "Prompt", name: "greet" }, "name"), ["ada", "alan"])
      assert.deepStrictEqual(yield* values({ _tag: "Template", uri: "note://{author}" }, "author"), ["ada", "alan"])
    }))

  if (!place.speaks) return

  it.effect("it answers what the server asks within a call", () =>
    Effect.gen(function*() {
      const { client } = yield* Reached
      const form = yield* client.callTool("askForm", { message: "who?" })
      assert.deepStrictEqual(JSON.parse(lines(form)), { action: "accept", content: { name: "Ada", colour: "green" } })
      const dull = yield* client.callTool("askForm", { message: "a dull one" })
      assert.deepStrictEqual(JSON.parse(lines(dull)), { action: "decline" })
      assert.strictEqual(lines(yield* client.callTool("askModel")), `ours-1: {"type":"text","text":"heard 1"}`)
      const roots = JSON.parse(lines(yield* client.callTool("askRoots")))
      assert.deepStrictEqual(roots, [{ uri: "file:///work", name: "work" }])
    }))

  it.effect("it hears of changes of a resource while it asks for them", () =>
    Effect.gen(function*() {
      const { client } = yield* Reached
      const touch = client.callTool("touch", { uri: "text://greeting" })
      const updates = yield* gathering(client.subscribe("text://greeting"))
      assert.deepStrictEqual(yield* updates.next, new Subscribed())
      yield* touch
      assert.deepStrictEqual(yield* updates.next, new Updated({ uri: "text://greeting" }))
      yield* Fiber.interrupt(updates.fiber)
      if (place.revision === "2025-11-25") yield* client.callTool("until", { happens: "text://greeting was left" })
    }))

  it.effect("it hears that a list has changed", () =>
    Effect.gen(function*() {
      const { client } = yield* Reached
      const changes = yield* gathering(client.changes)
      assert.deepStrictEqual(yield* changes.next, new Subscribed())
      yield* client.callTool("grow")
      assert.deepStrictEqual(yield* changes.next, new ListChanged({ list: "tools" }))
      if (place.forgets !== true) assert.include((yield* client.listTools()).map(({ name }) => name), "extra")
      yield* Fiber.interrupt(changes.fiber)
    }))

  it.effect("it answers a ping of its own, where there is one", () =>
    Effect.gen(function*() {
      const { client } = yield* Reached
      const alive = yield* Deferred.make<string>()
      yield* Effect.matchEffect(client.ping, {
        onSuccess: () => Deferred.succeed(alive, "pong"),
        onFailure: ({ _tag }) => Deferred.succeed(alive, _tag)
      })
      const expected = place.revision === "2025-11-25" ? "pong" : "UnsupportedCapability"
      assert.strictEqual(yield* Deferred.await(alive), expected)
    }))
}
