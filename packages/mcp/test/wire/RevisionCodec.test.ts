import { assert, describe, it } from "@effect/vitest"
import { Generators } from "@parley/conformance/shared"
import { Arbitrary, Effect, Result, Schema } from "effect"
import * as Capabilities from "../../src/payload/Capabilities.ts"
import * as Content from "../../src/payload/Content.ts"
import type * as Elicitation from "../../src/payload/Elicitation.ts"
import type * as Listing from "../../src/payload/Listing.ts"
import * as Requests from "../../src/payload/Requests.ts"
import * as Results from "../../src/payload/Results.ts"
import type * as Sampling from "../../src/payload/Sampling.ts"
import * as Revision from "../../src/wire/Revision.ts"
import * as RevisionCodec from "../../src/wire/RevisionCodec.ts"
import * as WireIssue from "../../src/wire/WireIssue.ts"
import { read, refusal, travel } from "./support/reading.ts"
import * as Values from "./support/values.ts"

describe("decoding", () => {
  const legacy = RevisionCodec.of(Revision.latestLegacy)

  it("keeps members that no record names, at every depth", () => {
    const json = {
      content: [{ type: "text", text: "t", novel: [1], annotations: { audience: ["user"], mood: "fine" } }],
      later: { deep: null }
    }
    assert.deepStrictEqual(travel(read(legacy.decode.callToolResult(json))), json)
    const tool = {
      name: "t",
      inputSchema: { type: "object", $defs: { a: { "x-y": 1 } } },
      execution: { taskSupport: "optional" }
    }
    assert.deepStrictEqual(travel(read(legacy.decode.toolPage({ tools: [tool] }))), { tools: [tool] })
    assert.deepStrictEqual(travel(legacy.encode.tool(read(legacy.decode.toolPage({ tools: [tool] })).tools[0]!)), tool)
  })

  it("says where a value does not fit", () => {
    const failure = legacy.decode.callToolResult({ content: [{ type: "text", text: 1 }] })
    assert.strictEqual(refusal(failure), "content.0.text: Expected string")
    assert.deepStrictEqual(Result.isFailure(failure) ? failure.failure.issues[0]?.path : [], ["content", 0, "text"])
  })

  it("refuses null where a member may be absent", () => {
    assert.match(refusal(legacy.decode.toolPage({ tools: [], nextCursor: null })), /nextCursor/)
    assert.match(refusal(legacy.decode.callToolResult({ content: [], isError: null })), /isError/)
    assert.match(refusal(legacy.decode.callToolResult({ content: [], _meta: null })), /_meta/)
    assert.match(refusal(legacy.decode.callToolParams({ name: "a", arguments: null })), /arguments/)
  })

  it("takes an absent resultType for complete, and no unknown one", () => {
    const result = { content: [] }
    assert.deepStrictEqual(read<object>(RevisionCodec.latest.decode.callToolResult(result)), result)
    assert.deepStrictEqual(
      read<object>(RevisionCodec.latest.decode.callToolResult({ ...result, resultType: "complete" })),
      result
    )
    assert.match(
      refusal(RevisionCodec.latest.decode.callToolResult({ ...result, resultType: "task" })),
      /unknown resultType "task"/
    )
    assert.match(
      refusal(RevisionCodec.latest.decode.toolPage({ tools: [], resultType: "input_required" })),
      /unknown resultType/
    )
    assert.match(
      refusal(RevisionCodec.latest.decode.callToolResult({ ...result, resultType: null })),
      /unknown resultType/
    )
  })

  it("tells a question from an answer, and takes none in the legacy era", () => {
    const question = { resultType: "input_required", requestState: "s" }
    assert.isTrue(Results.isInputRequired(read(RevisionCodec.latest.decode.getPromptResult(question))))
    assert.isFalse(Results.isInputRequired(read(legacy.decode.callToolResult({ ...question, content: [] }))))
    assert.match(refusal(RevisionCodec.latest.decode.callToolResult({ resultType: "input_required" })), /neither/)
  })

  it("reads an elicitation by its mode, which is form where it is absent", () => {
    const form = { message: "m", requestedSchema: { type: "object", properties: {} } }
    assert.deepStrictEqual(read<object>(legacy.decode.elicit(form)), form)
    assert.deepStrictEqual(read<object>(legacy.decode.elicit({ mode: "form", ...form })), form)
    assert.deepStrictEqual(read<object>(legacy.decode.elicit({ mode: "url", message: "m", url: "u:v" })), {
      message: "m",
      url: "u:v"
    })
    assert.match(refusal(legacy.decode.elicit({ mode: "voice", ...form })), /unknown mode "voice"/)
  })

  it("takes elicitation that names no way for elicitation by form", () => {
    assert.deepStrictEqual<unknown>(read(legacy.decode.clientCapabilities({ elicitation: {} })), {
      elicitation: { form: {} }
    })
    const url = { elicitation: { url: {} } }
    assert.deepStrictEqual<unknown>(read(legacy.decode.clientCapabilities(url)), url)
  })

  it.each([{}, { content: [{ type: "text" }] }, { arguments: {} }, { _meta: {} }])(
    "decides quickly about calls and results of tools as the Schemas do: %j lacks a member",
    (value) => {
      assert.isTrue(Result.isFailure(legacy.decode.callToolResult(value)))
      assert.isTrue(Result.isFailure(legacy.decode.callToolParams(value)))
    }
  )

  it.effect.prop("decides quickly about calls and results of tools as the Schemas do", {
    value: Generators.oneOf<unknown>(
      Values.callToolResult,
      Values.callToolParams,
      Arbitrary.map(
        Arbitrary.all({
          text: Generators.json,
          meta: Generators.json,
          structured: Generators.json,
          name: Generators.json
        }),
        ({ meta, name, structured, text }) => ({
          content: [{ type: "text", text }],
          isError: structured,
          _meta: meta,
          name,
          arguments: meta
        })
      ),
      Arbitrary.map(Arbitrary.all({ text: Generators.string, meta: Generators.json }), ({ meta, text }) => ({
        name: text,
        arguments: meta
      })),
      Arbitrary.map(Arbitrary.all({ text: Generators.string, error: Generators.json }), ({ error, text }) => ({
        content: [{ type: "text", text }],
        isError: error
      })),
      Generators.json
    )
  }, ({ value }) =>
    Effect.sync(() => {
      const json = travel(value)
      const result = WireIssue.decoder(Results.CallToolResult)
      const params = WireIssue.decoder(Requests.CallToolParams)
      const { resultType: _, ...rest } = Object(json) as { resultType?: unknown }
      const plain = typeof json === "object" && json !== null && !Array.isArray(json) ? rest : json
      assert.strictEqual(
        Result.isSuccess(legacy.decode.callToolResult(json)),
        Result.isSuccess(result(plain))
      )
      assert.strictEqual(Result.isSuccess(legacy.decode.callToolParams(json)), Result.isSuccess(params(json)))
    }))
})

describe("what clients offer", () => {
  const member = Generators.oneOf<Schema.Json>(
    Generators.elements<Schema.Json>({}, true, { a: [null] }),
    Generators.json
  )
  const offer = Generators.oneOf<Schema.Json>(
    Arbitrary.map(
      Arbitrary.all({ key: Generators.elements("form", "url", "tools", "context", "listChanged"), member }),
      ({ key, member }) => ({ [key]: member })
    ),
    member
  )

  it.effect.prop("is decided quickly as the Schemas do", {
    value: Arbitrary.map(
      Arbitrary.all({
        key: Generators.elements("roots", "sampling", "elicitation", "experimental", "x"),
        offer,
        other: offer
      }),
      ({ key, offer, other }) => ({ elicitation: other, [key]: offer })
    )
  }, ({ value }) =>
    Effect.sync(() => {
      const decode = WireIssue.decoder(Capabilities.ClientCapabilities)
      assert.strictEqual(
        Result.isSuccess(RevisionCodec.latest.decode.clientCapabilities(value)),
        Result.isSuccess(decode(value)),
        JSON.stringify(value)
      )
    }))
})

describe("saying less", () => {
  const [first, march, june, november, modern] = Revision.all.map(RevisionCodec.of) as [
    RevisionCodec.RevisionCodec,
    RevisionCodec.RevisionCodec,
    RevisionCodec.RevisionCodec,
    RevisionCodec.RevisionCodec,
    RevisionCodec.RevisionCodec
  ]

  it("sends the record itself where nothing has to change", () => {
    const result: Results.CallToolResult = { content: [Content.text("t")], structuredContent: { a: 1 } }
    for (const codec of [june, november, modern]) {
      assert.strictEqual<unknown>(codec.encode.callToolResult(result), result)
    }
  })

  const missing = (data: string) => first.encode.content(Content.audio(data, "audio/wav"))

  it.prop(
    "counts the bytes of missing sound without the padding at the end, wherever else equals signs stand",
    [Schema.Array(Schema.Literals(["=", "A"]))],
    ([characters]) => {
      const data = characters.join("")
      const bytes = Math.floor(data.replace(/=+$/, "").length * 3 / 4)
      assert.deepStrictEqual<unknown>(missing(data), Content.text(`[audio audio/wav, ${bytes} bytes, not sent]`))
    }
  )

  it("does not take minutes to count the bytes of many equals signs", () => {
    const data = `${"=".repeat(399_999)}A`
    assert.deepStrictEqual<unknown>(missing(data), Content.text("[audio audio/wav, 300000 bytes, not sent]"))
  })

  it("says in a text what sound or link is missing", () => {
    const annotations = { priority: 1, lastModified: "2026-01-01T00:00:00Z" }
    const sound = Content.audio(new Uint8Array(4), "audio/wav", { annotations, _meta: { k: 1 } })
    const link = Content.link({ uri: "test://a", name: "a", description: "the first", icons: [{ src: "data:," }] })
    const note = { type: "text", text: "[audio audio/wav, 4 bytes, not sent]", annotations: { priority: 1 } }
    assert.deepStrictEqual<unknown>(first.encode.content(sound), note)
    assert.deepStrictEqual<unknown>(march.encode.content(sound), {
      type: "audio",
      data: "AAAAAA==",
      mimeType: "audio/wav",
      annotations: { priority: 1 }
    })
    assert.deepStrictEqual<unknown>(march.encode.content(link), Content.text("[resource a: test://a (the first)]"))
    assert.deepStrictEqual<unknown>(
      june.encode.content(link),
      Content.link({ uri: "test://a", name: "a", description: "the first" })
    )
    assert.strictEqual<unknown>(november.encode.content(link), link)
  })

  it("drops structured content and output schemas that a revision cannot have", () => {
    const info: Listing.ToolInfo = { name: "t", inputSchema: { type: "object" }, outputSchema: { type: "array" } }
    const { outputSchema: _, ...less } = info
    assert.deepStrictEqual(november.encode.tool(info), less)
    assert.deepStrictEqual(modern.encode.tool(info), info)
    const object = { ...info, outputSchema: { type: "object" } }
    assert.deepStrictEqual([march, june].map((codec) => codec.encode.tool(object)), [less, object])
    const result = { content: [], structuredContent: [1] }
    assert.deepStrictEqual<unknown>(november.encode.callToolResult(result), { content: [] })
    assert.deepStrictEqual<unknown>(march.encode.callToolResult({ content: [], structuredContent: {} }), {
      content: []
    })
    assert.strictEqual(modern.encode.callToolResult(result)["structuredContent"], result.structuredContent)
  })

  it("keeps every keyword of a schema, and says true and false as schemas that are objects", () => {
    const inputSchema: Listing.ObjectSchema = {
      type: "object",
      properties: { a: true, b: false, c: { $anchor: "c" } },
      "x-any": [true]
    }
    const info = { name: "t", inputSchema }
    assert.strictEqual<unknown>(modern.encode.tool(info), info)
    assert.deepStrictEqual(november.encode.tool(info)["inputSchema"], {
      ...inputSchema,
      properties: { a: {}, b: { not: {} }, c: { $anchor: "c" } }
    })
  })

  it("titles, icons and _meta go only where they are known", () => {
    const info = { name: "p", title: "P", icons: [], _meta: {}, arguments: [{ name: "a", title: "A" }] }
    const { icons: _, ...titled } = info
    assert.deepStrictEqual(march.encode.prompt(info), { name: "p", arguments: [{ name: "a" }] })
    assert.deepStrictEqual(june.encode.prompt(info), titled)
    assert.strictEqual<unknown>(november.encode.prompt(info), info)
  })

  it("does not ask for what cannot be asked", () => {
    const list: Elicitation.ElicitForm = {
      message: "m",
      requestedSchema: { type: "object", properties: { a: { type: "array", items: { type: "string", enum: ["x"] } } } }
    }
    assert.match(refusal(march.encode.elicitForm(list)), /no elicitation/)
    assert.match(refusal(june.encode.elicitForm(list)), /several choices/)
    assert.deepStrictEqual<unknown>(read(november.encode.elicitForm(list)), { mode: "form", ...list })
    const url = { message: "m", url: "https://example.test/" }
    assert.match(refusal(june.encode.elicitUrl(url)), /opens no URLs/)
    assert.match(refusal(november.encode.elicitUrl(url)), /elicitationId/)
    assert.deepStrictEqual<unknown>(read(modern.encode.elicitUrl({ ...url, elicitationId: "e" })), {
      mode: "url",
      ...url
    })
    const tools = { messages: [], maxTokens: 1, tools: [] }
    assert.match(refusal(june.encode.sampleRequest(tools)), /no tools/)
    assert.deepStrictEqual<unknown>(read(november.encode.sampleRequest(tools)), tools)
  })

  it("asks for titled choices with enum and enumNames where oneOf is unknown", () => {
    const field = { type: "string", title: "T", oneOf: [{ const: "a", title: "A" }, { const: "b", title: "B" }] }
    const form: Elicitation.ElicitForm = { message: "m", requestedSchema: { type: "object", properties: { field } } }
    assert.deepStrictEqual<unknown>(read(june.encode.elicitForm(form))["requestedSchema"], {
      type: "object",
      properties: { field: { type: "string", title: "T", enum: ["a", "b"], enumNames: ["A", "B"] } }
    })
  })

  it("gives a model's blocks one message each, and joins an answer, where messages have one block", () => {
    const blocks = [Content.text("a"), Content.image("AAAA", "image/png")]
    const request: Sampling.SampleRequest = { maxTokens: 1, messages: [{ role: "user", content: blocks }] }
    assert.deepStrictEqual<unknown>(read(june.encode.sampleRequest(request))["messages"], [
      { role: "user", content: blocks[0] },
      { role: "user", content: blocks[1] }
    ])
    const result: Sampling.SampleResult = { role: "assistant", model: "m", content: blocks }
    assert.deepStrictEqual<unknown>(
      june.encode.sampleResult(result)["content"],
      Content.text("a\n[image image/png, not sent]")
    )
    assert.strictEqual<unknown>(november.encode.sampleResult(result), result)
  })

  it("capabilities that a revision does not know are not offered in it", () => {
    const client: Capabilities.ClientCapabilities = {
      roots: { listChanged: true },
      sampling: { tools: {} },
      elicitation: { form: {}, url: {} },
      extensions: {}
    }
    assert.deepStrictEqual<unknown>(march.encode.clientCapabilities(client), {
      roots: { listChanged: true },
      sampling: {},
      extensions: {}
    })
    assert.deepStrictEqual<unknown>(june.encode.clientCapabilities(client), {
      roots: { listChanged: true },
      sampling: {},
      elicitation: {},
      extensions: {}
    })
    assert.deepStrictEqual<unknown>(june.encode.clientCapabilities({ elicitation: { url: {} } }), {})
    assert.deepStrictEqual<unknown>(modern.encode.clientCapabilities(client), { ...client, roots: {} })
    const server = { completions: {}, extensions: {}, tools: {} }
    assert.deepStrictEqual([first, march, modern].map((codec) => codec.encode.serverCapabilities(server)), [
      { extensions: {}, tools: {} },
      server,
      server
    ])
  })

  it("cuts completions after a hundred, and says that there are more", () => {
    const values = Array.from({ length: 101 }, (_, index) => `${index}`)
    for (const codec of [first, modern]) {
      const { completion } = read(codec.decode.completeResult(codec.encode.completeResult({ completion: { values } })))
      assert.deepStrictEqual(completion, { values: values.slice(0, 100), total: 101, hasMore: true })
    }
  })

  it("what may be kept is said in the modern era only, and is nothing unless the server says so", () => {
    const page = { nextCursor: "n", cache: { ttlMs: 9, cacheScope: "public" } } as const
    assert.deepStrictEqual<unknown>(november.encode.page("tools", [], page), { tools: [], nextCursor: "n" })
    assert.deepStrictEqual<unknown>(modern.encode.page("tools", [], page), {
      tools: [],
      nextCursor: "n",
      ttlMs: 9,
      cacheScope: "public"
    })
    assert.deepStrictEqual<unknown>(modern.encode.readResourceResult({ contents: [] }), {
      contents: [],
      ttlMs: 0,
      cacheScope: "private"
    })
  })

  it("a negative time to keep a result is none, read or written", () => {
    const negative = { contents: [], ttlMs: -1, cacheScope: "private" } as const
    const sent = modern.encode.readResourceResult(negative)
    assert.strictEqual(sent["ttlMs"], 0)
    assert.deepStrictEqual<unknown>(read(modern.decode.readResourceResult(negative)), { ...negative, ttlMs: 0 })
    assert.strictEqual(read(modern.decode.toolPage({ tools: [], ttlMs: -5, cacheScope: "public" })).ttlMs, 0)
  })

  it("seals a modern result with its kind and its server, and a legacy one with nothing", () => {
    const info: Schema.JsonObject = { name: "s", version: "1" }
    const key = "io.modelcontextprotocol/serverInfo"
    const result = { content: [], _meta: { k: 1 } }
    assert.strictEqual<unknown>(november.seal(result, info), result)
    assert.deepStrictEqual<unknown>(modern.seal(result, info), {
      resultType: "complete",
      content: [],
      _meta: { k: 1, [key]: info }
    })
    assert.strictEqual(modern.seal({ resultType: "input_required" }, info)["resultType"], "input_required")
  })
})
