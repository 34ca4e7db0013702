/** Our client with our server, over memory, in every revision; what the client writes is held against what is published. */
import { assert, describe, it } from "@effect/vitest"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import { Transport } from "@parley/transport/Transport"
import { Effect, Fiber, Result, Schema, Stream } from "effect"
import * as McpClientTransport from "../../src/client/McpClientTransport.ts"
import { ListChanged, Subscribed, Updated } from "../../src/client/McpEvent.ts"
import * as McpClient from "../../src/McpClient.ts"
import * as McpPrompt from "../../src/McpPrompt.ts"
import * as McpResource from "../../src/McpResource.ts"
import * as McpServer from "../../src/McpServer.ts"
import * as McpTool from "../../src/McpTool.ts"
import type { ElicitResult } from "../../src/payload/Elicitation.ts"
import type { SampleResult } from "../../src/payload/Sampling.ts"
import * as McpError from "../../src/wire/McpError.ts"
import * as Revision from "../../src/wire/Revision.ts"
import * as RevisionCodec from "../../src/wire/RevisionCodec.ts"
import * as Published from "../wire/support/published.ts"
import { settle, type Written } from "./scripted.ts"

const Sum = Schema.Struct({ sum: Schema.Finite })

const features = [
  McpTool.make(
    "add",
    { params: { a: Schema.Finite, b: Schema.Finite }, result: Sum },
    ({ a, b }) => Effect.succeed({ sum: a + b })
  ),
  McpTool.make("ask", {}, (_, call) =>
    Effect.gen(function*() {
      const name = yield* call.elicit("name", { message: "who?", fields: { name: Schema.String } })
      const said = yield* call.sample("sum", {
        messages: [{ role: "user", content: { type: "text", text: "2 + 2?" } }],
        maxTokens: 5
      })
      const roots = yield* call.listRoots()
      const who = name._tag === "Accepted" ? name.content.name : name._tag
      return `${who} ${JSON.stringify(said.content)} ${roots.map(({ uri }) => uri).join()}`
    })),
  McpTool.make(
    "pay",
    {},
    (_, call) =>
      Effect.map(
        call.elicitUrl("till", { message: "pay", url: "https://example.org/till", elicitationId: "till-1" }),
        ({ _tag }) => _tag
      )
  ),
  McpTool.make(
    "refuse",
    {},
    () =>
      Effect.fail(McpError.urlElicitationRequired([{ message: "pay", url: "https://e.org", elicitationId: "till-2" }]))
  ),
  McpTool.make("work", {}, (_, call) =>
    Effect.gen(function*() {
      yield* call.progress({ progress: 1, total: 2, message: "half" })
      yield* call.progress({ progress: 2, total: 2 })
      return "done"
    })),
  McpTool.make("fail", {}, () => Effect.fail(new Error("no disk"))),
  McpResource.make("file:///note", { name: "note" }, () => Effect.succeed("hello")),
  McpPrompt.make(
    "greet",
    { params: { who: Schema.String }, complete: { who: () => Effect.succeed(["Ada", "Alan"]) } },
    ({ who }) => Effect.succeed(`greet ${who}`)
  )
]

const said: SampleResult = { role: "assistant", content: { type: "text", text: "4" }, model: "m" }

const completed: Array<string> = []

const handlers = {
  elicitUrl: () => Effect.succeed<ElicitResult>({ action: "accept" }),
  elicitComplete: (id: string) => Effect.sync(() => void completed.push(id)),
  elicit: () => Effect.succeed<ElicitResult>({ action: "accept", content: { name: "Ada" } }),
  sample: () => Effect.succeed(said),
  roots: Effect.succeed([{ uri: "file:///home" }])
}

const start = Effect.fnUntraced(function*(revision: Revision.Revision | "auto") {
  const server = yield* McpServer.make({ name: "server", version: "1", features, pageSize: 2, instructions: "gently" })
  const [near, far] = yield* MemoryTransport.makePair({ capacity: 64 * 1024 * 1024 })
  const written: Array<Written> = []
  const receive = Effect.tap(far.receive, (texts) =>
    Effect.sync(() => {
      for (const text of texts) written.push(JSON.parse(String(text)))
    }))
  yield* McpServer.serveWith({ limits: { drain: 0 }, progressGap: 0 }).pipe(
    Effect.provideService(Transport, { ...far, receive }),
    Effect.provideService(McpServer.McpServer, server),
    Effect.forkScoped({ startImmediately: true })
  )
  const client = yield* McpClient.make(McpClientTransport.fromTransport(near), {
    name: "client",
    version: "1",
    protocolVersion: revision,
    handlers,
    limits: { drain: 0 }
  })
  return { client, server, written }
})

/** What the answers to our server's questions are called, by what they have. */
const answers = [["action", "ElicitResult"], ["model", "CreateMessageResult"], ["roots", "ListRootsResult"]] as const

const nameOf = ({ id, method, result }: Written): string | undefined => {
  if (method !== undefined) return id === undefined ? "ClientNotification" : "ClientRequest"
  return answers.find(([member]) => Object.hasOwn(Object(result), member))?.[1]
}

/** Why messages of a client, and the answers in them, are not what their revision publishes. */
const faults = (revision: Revision.Revision, written: ReadonlyArray<Written>): ReadonlyArray<string> => {
  const inside = written.flatMap(({ params }) =>
    Object.values(Object(params?.["inputResponses"])).map((result): Written => ({ result: result as Schema.Json }))
  )
  return [...written, ...inside].flatMap((message) => {
    const published = nameOf(message)
    if (published === undefined) return []
    const value = message.method === undefined ? message.result : message
    const fault = Published.fault(revision, { published, sdk: published }, value)
    return fault === undefined ? [] : [`${JSON.stringify(message)} as ${published}: ${fault}`]
  })
}

for (const revision of Revision.all) {
  const { features } = RevisionCodec.of(revision)

  describe(`our client and our server in ${revision}, checked by ${Published.source}`, () => {
    it.effect("everything that a server offers comes through", () =>
      Effect.gen(function*() {
        const { client, written } = yield* start(revision)
        assert.strictEqual(client.protocolVersion, revision)
        const tools = yield* client.listTools()
        assert.deepStrictEqual(tools.map(({ name }) => name), ["add", "ask", "pay", "refuse", "work", "fail"])
        const sum = yield* client.callTool("add", { a: 1, b: 2 })
        const expected = features.structuredContent === "none" ? undefined : { sum: 3 }
        assert.deepStrictEqual(sum.structuredContent, expected)
        assert.deepStrictEqual(JSON.parse(sum.content[0]?.type === "text" ? sum.content[0].text : ""), { sum: 3 })
        assert.strictEqual((yield* Effect.flip(client.callTool("fail")))._tag, "ToolError")
        assert.strictEqual((yield* Effect.flip(client.callTool("nothing")))._tag, "ProtocolError")
        const events = yield* Stream.runCollect(client.streamTool("work"))
        assert.deepStrictEqual(events.map(({ _tag }) => _tag), ["Progress", "Progress", "Result"])
        assert.deepStrictEqual(
          (yield* client.readResource("file:///note")).contents.map((one) => "text" in one ? one.text : ""),
          ["hello"]
        )
        assert.lengthOf(yield* client.listResources(), 1)
        assert.lengthOf(yield* client.listPrompts(), 1)
        assert.lengthOf((yield* client.getPrompt("greet", { who: "Ada" })).messages, 1)
        const completed = yield* client.complete({ _tag: "Prompt", name: "greet" }, { name: "who", value: "A" })
        assert.deepStrictEqual(completed.completion.values, ["Ada", "Alan"])
        yield* settle
        assert.deepStrictEqual(faults(revision, written), [])
      }))

    it.effect("a tool that asks its client is answered where the revision can", () =>
      Effect.gen(function*() {
        const { client, written } = yield* start(revision)
        const outcome = yield* Effect.result(client.callTool("ask"))
        if (features.elicitation === "none") {
          assert.isTrue(Result.isFailure(outcome) && outcome.failure._tag === "ToolError")
        } else {
          const [block] = Result.getOrThrow(outcome).content
          assert.deepInclude(block, { type: "text", text: "Ada {\"type\":\"text\",\"text\":\"4\"} file:///home" })
        }
        assert.deepStrictEqual(faults(revision, written), [])
      }))

    it.effect("a client hears once that its person is done at a URL, where the revision has a word for it", () =>
      Effect.gen(function*() {
        completed.length = 0
        const { client, server } = yield* start(revision)
        yield* Effect.ignore(client.callTool("pay"))
        yield* Effect.ignore(client.callTool("refuse"))
        for (const id of ["another", "till-1", "till-2", "till-1"]) yield* server.elicitationComplete(id)
        yield* settle
        assert.deepStrictEqual(completed, revision === "2025-11-25" ? ["till-1", "till-2"] : [])
      }))

    it.effect("changes are heard while a stream runs", () =>
      Effect.gen(function*() {
        const { client, server, written } = yield* start(revision)
        const seen: Array<unknown> = []
        const both = Stream.merge(client.subscribe("file:///note"), client.changes)
        const running = yield* Effect.forkChild(Stream.runForEach(both, (one) => Effect.sync(() => seen.push(one))))
        yield* settle
        assert.deepStrictEqual(seen, [new Subscribed(), new Subscribed()])
        yield* server.resourceUpdated("file:///note")
        yield* settle
        yield* Effect.scoped(server.add([McpTool.make("more", {}, () => Effect.succeed("more"))]))
        yield* settle
        assert.deepStrictEqual(seen.slice(2, 4), [
          new Updated({ uri: "file:///note" }),
          new ListChanged({ list: "tools" })
        ])
        yield* Fiber.interrupt(running)
        yield* settle
        yield* server.resourceUpdated("file:///note")
        yield* settle
        assert.isAtMost(seen.length, 5)
        assert.deepStrictEqual(faults(revision, written), [])
      }))
  })
}

describe("our client and our server, left to themselves", () => {
  it.effect("they come to the newest revision", () =>
    Effect.gen(function*() {
      const { client } = yield* start("auto")
      assert.strictEqual(client.protocolVersion, Revision.latest)
      assert.deepStrictEqual(client.serverInfo, { name: "server", version: "1" })
      assert.strictEqual(client.instructions, "gently")
      assert.isDefined(client.capabilities?.tools)
    }))
})
