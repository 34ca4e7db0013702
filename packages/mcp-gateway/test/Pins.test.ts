/** A gateway with pins offers what people have approved, to the last byte, and nothing else of its servers. */
import { assert, describe, it } from "@effect/vitest"
import * as McpApps from "@parley/mcp-apps/McpApps"
import * as McpGateway from "@parley/mcp-gateway/McpGateway"
import * as Pins from "@parley/mcp-gateway/Pins"
import * as McpMemoryClient from "@parley/mcp/McpMemoryClient"
import * as McpPrompt from "@parley/mcp/McpPrompt"
import * as McpResource from "@parley/mcp/McpResource"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import type { ToolInfo } from "@parley/mcp/payload/Listing"
import * as McpError from "@parley/mcp/wire/McpError"
import { Relayed } from "@parley/protocol/shared"
import { Effect, Logger, Schema } from "effect"
import { clientOf, named, pairs } from "./support/pairs.ts"

/** What a server says, each part with the word that is given. */
interface Words {
  readonly tool?: string
  readonly param?: string
  readonly prompt?: string
  readonly argument?: string
  readonly resource?: string
  readonly template?: string
  readonly page?: string
  readonly instructions?: string
}

const serverOf = (words: Words = {}) => {
  const {
    argument = "",
    instructions = "",
    page = "",
    param = "",
    prompt = "",
    resource = "",
    template = "",
    tool = ""
  } = words
  const features: ReadonlyArray<McpServer.Feature> = [
    McpTool.raw("add", {
      description: `Adds.${tool}`,
      inputSchema: { type: "object", properties: { a: { type: "integer", description: `A term.${param}` } } }
    }, () => Effect.succeed("sum")),
    McpPrompt.make("ask", { description: `Asks.${prompt}` }, () => Effect.succeed(`text${argument}`)),
    McpResource.make("test://one", { name: "one", description: `One.${resource}` }, () => Effect.succeed("data")),
    McpResource.template(
      "test://{id}/x",
      { name: "any", description: `Any.${template}` },
      () => Effect.succeed("data")
    ),
    McpResource.make("ui://page", { name: "page" }, () => Effect.succeed(`<p>${page}</p>`))
  ]
  return McpServer.make({ name: "far", version: "1", instructions: `Add.${instructions}`, features })
}

const connecting = (server: McpServer.McpServer): McpGateway.Member["connect"] => (options) =>
  Effect.provideService(McpMemoryClient.make({ ...options, limits: { drain: 0 } }), McpServer.McpServer, server)

/** The pins that approve a server as it is. */
const approving = (server: McpServer.McpServer) =>
  Effect.scoped(Effect.gen(function*() {
    const client = yield* clientOf(server)
    const { contents } = yield* client.readResource("ui://page")
    return Pins.of({
      instructions: client.instructions,
      tools: yield* client.listTools(),
      prompts: yield* client.listPrompts(),
      resources: yield* client.listResources(),
      templates: yield* client.listResourceTemplates(),
      pages: [["ui://page", contents]]
    })
  }))

/** What a client sees of a server behind a gateway with these pins. */
const seen = (server: McpServer.McpServer, pins: Pins.Pins, revision: (typeof pairs)[number]["near"] = "2026-07-28") =>
  Effect.gen(function*() {
    const lines: Array<string> = []
    const logger = Logger.make(({ message }) => void lines.push(String(message)))
    const found = yield* Effect.scoped(Effect.gen(function*() {
      const gateway = yield* McpGateway.make({
        name: "gateway",
        version: "1",
        servers: { far: { connect: connecting(server), prefix: "", pins } }
      })
      const client = yield* clientOf(gateway, { protocolVersion: revision })
      const tools = (yield* client.listTools()).map(({ name }) => name)
      const prompts = (yield* client.listPrompts()).map(({ name }) => name)
      const resources = (yield* client.listResources()).map(({ uri }) => uri)
      const templates = (yield* client.listResourceTemplates()).map(({ uriTemplate }) => uriTemplate)
      const refused: Array<string> = []
      const uses = {
        tool: client.callTool("add"),
        prompt: client.getPrompt("ask"),
        resource: client.readResource("test://one"),
        template: client.readResource("test://1/x"),
        page: client.readResource("ui://page")
      }
      for (const [kind, use] of Object.entries<Effect.Effect<unknown, unknown>>(uses)) {
        const exit = yield* Effect.result(use)
        if (exit._tag === "Success") continue
        assert.propertyVal(exit.failure, "code", McpError.NotApproved)
        refused.push(kind)
      }
      const { instructions } = yield* clientOf(gateway, { protocolVersion: "2025-11-25" })
      return { offered: [...tools, ...prompts, ...resources, ...templates], refused, instructions }
    })).pipe(Effect.provide(Logger.layer([logger])))
    return { ...found, lines }
  })

const all = ["add", "ask", "test://one", "ui://page", "test://{id}/x"]

describe("a gateway with pins", () => {
  for (const pair of pairs.filter(({ far }) => far === "2026-07-28")) {
    it.effect(`offers all that is approved: ${named(pair)}`, () =>
      Effect.gen(function*() {
        const server = yield* serverOf()
        const { instructions, lines, offered, refused } = yield* seen(server, yield* approving(server), pair.near)
        assert.deepStrictEqual(offered, all)
        assert.deepStrictEqual(refused, [])
        assert.deepStrictEqual(lines, [])
        assert.include(instructions, "Add.")
      }))
  }

  const changes: ReadonlyArray<readonly [words: Words, refused: string, hidden: string]> = [
    [{ tool: "\u{e0041}" }, "tool", "add"],
    [{ param: "\u200b" }, "tool", "add"],
    [{ prompt: " Obey." }, "prompt", "ask"],
    [{ resource: " Obey." }, "resource", "test://one"],
    [{ template: " Obey." }, "template", "test://{id}/x"],
    [{ page: "<script>" }, "page", ""]
  ]
  for (const [words, kind, name] of changes) {
    it.effect(`refuses what has changed: ${Object.keys(words).join()}`, () =>
      Effect.gen(function*() {
        const pins = yield* approving(yield* serverOf())
        const { lines, offered, refused } = yield* seen(yield* serverOf(words), pins)
        assert.deepStrictEqual(offered, all.filter((one) => one !== name))
        assert.deepStrictEqual(refused, [kind])
        assert.strictEqual(lines.length, 1)
        assert.match(lines[0] ?? "", new RegExp(`^the ${kind} .* has changed since it was approved, so it is refused$`))
      }))
  }

  it.effect("refuses what nobody has approved, and says so once for each", () =>
    Effect.gen(function*() {
      const { instructions, lines, offered, refused } = yield* seen(yield* serverOf(), [])
      assert.deepStrictEqual(offered, [])
      assert.deepStrictEqual(refused, ["tool", "prompt", "resource", "template", "page"])
      assert.isUndefined(instructions)
      assert.strictEqual(new Set(lines).size, lines.length)
      assert.includeMembers(lines, [
        "nobody has approved the tool add of the server far, so it is refused",
        "nobody has approved the instructions of the server far, so it is refused"
      ])
    }))

  it.effect("leaves instructions out that have changed", () =>
    Effect.gen(function*() {
      const pins = yield* approving(yield* serverOf())
      const { instructions, lines, offered } = yield* seen(yield* serverOf({ instructions: " Obey." }), pins)
      assert.isUndefined(instructions)
      assert.deepStrictEqual(offered, all)
      assert.deepStrictEqual(lines, [
        "the instructions of the server far has changed since it was approved, so it is refused"
      ])
    }))

  it.effect("approves a definition for each kind of client, and no third one", () =>
    Effect.gen(function*() {
      const pins = [...yield* approving(yield* serverOf()), ...yield* approving(yield* serverOf({ tool: " Well." }))]
      for (const [word, refused] of [["", []], [" Well.", []], [" Badly.", ["tool"]]] as const) {
        assert.deepStrictEqual((yield* seen(yield* serverOf({ tool: word }), pins)).refused, [...refused])
      }
    }))
})

describe("the result of a tool that is approved with an output schema", () => {
  const schema = {
    inputSchema: { type: "object" },
    outputSchema: { type: "object", properties: { sum: { type: "integer" } }, required: ["sum"] }
  } as const

  /** A server that checks nothing, as others are: its tool has an output schema, and gives anything. */
  const giving = (result: McpTool.ToolResult) => {
    const tool = McpTool.raw("add", { inputSchema: schema.inputSchema }, () => Effect.succeed(result))
    const features = [{ ...tool, info: { ...tool.info, ...schema } }]
    return McpServer.make({ name: "far", version: "1", features })
  }

  const called = (pair: (typeof pairs)[number], result: McpTool.ToolResult) =>
    Effect.scoped(Effect.gen(function*() {
      const server = yield* giving(result)
      const tools = yield* Effect.scoped(Effect.flatMap(clientOf(server), (client) => client.listTools()))
      const gateway = yield* McpGateway.make({
        name: "gateway",
        version: "1",
        servers: {
          far: {
            connect: (options) => connecting(server)({ ...options, protocolVersion: pair.far }),
            prefix: "",
            pins: Pins.of({ tools })
          }
        }
      })
      const client = yield* clientOf(gateway, { protocolVersion: pair.near, checkResults: false })
      return yield* Effect.result(client.callTool("add", {}))
    })).pipe(Effect.provide(Logger.layer([])))

  it.effect.each(pairs)("passes where it fits, and where the tool has failed: %o", (pair) =>
    Effect.gen(function*() {
      const fits = yield* called(pair, McpTool.result({ structuredContent: { sum: 3 } }))
      assert.deepStrictEqual(fits._tag === "Success" && fits.success.structuredContent, { sum: 3 })
      const failed = yield* called(pair, McpTool.failure("it failed"))
      assert.strictEqual(failed._tag === "Failure" && failed.failure._tag, "ToolError")
    }))

  it.effect.each(pairs)("is checked where the tool says that it has failed, too: %o", (pair) =>
    Effect.gen(function*() {
      const refused = yield* called(
        pair,
        McpTool.result({ structuredContent: { sum: "all" }, isError: true })
      )
      assert.propertyVal(refused._tag === "Failure" && refused.failure, "code", McpError.UpstreamFailed)
    }))

  it.effect.each(pairs)(
    "refuses a result that does not fit the approved output schema: %o",
    (pair) =>
      Effect.gen(function*() {
        for (const options of [{ structuredContent: { sum: "all" } }, { structuredContent: {} }, { content: "3" }]) {
          const refused = yield* called(pair, McpTool.result(options))
          const error = refused._tag === "Failure" ? refused.failure : undefined
          if (error?._tag !== "ProtocolError") return assert.fail(String(error))
          assert.strictEqual(error.code, McpError.UpstreamFailed)
          assert.include(error.text, "a result of the tool add that does not fit its approved output schema")
        }
      })
  )
})

describe("a page", () => {
  it.effect.each([
    "ui://app",
    "UI://app",
    "uI:app",
    "%75i://app",
    "u%69://app",
    " ui://app",
    "u\ti://app",
    "app:ui://"
  ])(
    "that a host shows is refused once it has changed, however its URI is spelled: %j",
    (uri) =>
      Effect.gen(function*() {
        const tool = { _meta: { ui: { resourceUri: uri } } }
        const isShown = McpApps.uiOf(tool).resourceUri !== undefined
        assert.strictEqual(Pins.isPage(uri), isShown)
        const resource = McpResource.make("test://app", { name: "app" }, () => Effect.succeed("<script>"))
        const server = yield* McpServer.make({
          name: "far",
          version: "1",
          features: [{ ...resource, info: { ...resource.info, uri } }]
        })
        const resources = yield* Effect.scoped(Effect.flatMap(clientOf(server), (client) => client.listResources()))
        const pins = Pins.of({ resources, pages: [[uri, [{ uri, text: "<p>" }]]] })
        const gateway = yield* McpGateway.make({
          name: "g",
          version: "1",
          servers: { far: { connect: connecting(server), pins } }
        })
        const client = yield* clientOf(gateway)
        const read = yield* Effect.result(client.readResource(uri))
        assert.strictEqual(read._tag === "Failure", isShown)
      })
  )
})

describe("a pin", () => {
  const info = { name: "a", description: "A.", inputSchema: { type: "object" as const, properties: { b: {}, a: {} } } }

  it("is the same in any order of members, and another with any other member", () => {
    const turned = Object.fromEntries(Object.entries(info).toReversed())
    const approved = Pins.approved(Pins.of({ tools: [info] }))
    assert.isTrue(approved.has("tool", "a", turned))
    const others: ReadonlyArray<Schema.JsonObject> = [
      { description: "A.\u200b" },
      { annotations: { readOnlyHint: true } },
      { _meta: { a: 1 } },
      { outputSchema: { type: "object" } }
    ]
    for (const change of others) assert.isFalse(approved.has("tool", "a", { ...info, ...change }))
    assert.isFalse(approved.has("prompt", "a", info))
    assert.isFalse(approved.has("tool", "b", info))
  })

  it("is compared by the text that is shown, whatever the names are", () => {
    const text = Pins.textOf(info, 2)
    assert.strictEqual(Pins.textOf(JSON.parse(text)), Pins.textOf(info))
    const pins = Pins.of({ tools: ["__proto__", "constructor", "a 1"].map((name) => ({ ...info, name })) })
    assert.deepStrictEqual(pins.map(({ name }) => name), ["__proto__", "constructor", "a 1"])
    for (const { definition, name } of pins) assert.isTrue(Pins.approved(pins).has("tool", name, definition))
  })

  it.each(["9223372036854775807", "9007199254740993", "0.12345678901234567890", "1e400", "-0", "1.0"])(
    "has the number %s as it came, also from a file, and is no other",
    (digits) => {
      const toolOf = (text: string) =>
        Relayed.parseUnsafe(`{"name":"t","inputSchema":{"type":"object","default":[${text}]}}`) as ToolInfo
      const file = JSON.stringify(Pins.of({ tools: [toolOf(digits)] }))
      const approved = Pins.approved(Schema.decodeUnknownSync(Pins.Pins)(Relayed.parseUnsafe(file)))
      assert.isTrue(approved.has("tool", "t", toolOf(digits)))
      for (const other of ["9223372036854775808", "9007199254740992", "0.12345678901234567891", "1e401", "null"]) {
        assert.isFalse(approved.has("tool", "t", toolOf(other)))
      }
      const [shown] = /\[[^]*\]/.exec(Pins.textOf(toolOf(digits), 2)) ?? []
      assert.isTrue(approved.has("tool", "t", toolOf(shown?.slice(1, -1) ?? "")))
    }
  )
})
