/** Extensions that belong to tools, written by hand. */
import { assert, describe, it } from "@effect/vitest"
import type { ClientExtension } from "@parley/mcp/client/ClientExtension"
import type { ServerExtension } from "@parley/mcp/extension/McpExtension"
import * as McpClient from "@parley/mcp/McpClient"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import * as McpToolkit from "@parley/mcp/McpToolkit"
import * as Content from "@parley/mcp/payload/Content"
import type { ToolOption } from "@parley/mcp/server/ToolExtension"
import { Cause, Effect, Exit } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { clientOf, revisions } from "../composition/support/clients.ts"

/** Answers calls of tools that have an option of it with the value of the option. */
const canned = (name: string): ServerExtension => ({
  _tag: "McpExtension",
  info: { name },
  era: undefined,
  settings: undefined,
  readClient: undefined,
  methods: new Map(),
  topics: new Map(),
  features: [],
  bind: () => ({
    methods: new Map(),
    notifications: new Map(),
    around: new Map(),
    permitted: (_topic, values) => Effect.succeed(values),
    callTool: ({ option }) =>
      option === undefined
        ? { _tag: "Served" }
        : { _tag: "Answered", answer: Effect.succeed({ content: [{ type: "text", text: `${name}: ${option}` }] }) }
  })
})

const one = canned("com.example/one")
const two = canned("com.example/two")

const optionOf = (extension: ServerExtension, value: "optional" | "required"): ToolOption => ({
  extension,
  value,
  info: { execution: { taskSupport: value } }
})

describe("the options of a tool", () => {
  const options = [optionOf(one, "optional"), optionOf(one, "required"), optionOf(two, "required")]
  const described = Tool.make("described")
  const toolkit = Toolkit.make(described.annotate(McpToolkit.Extensions, options))

  it.effect.each(revisions)(
    "of one extension: the first is listed, and the first is what it serves: %s",
    (revision) =>
      Effect.gen(function*() {
        const server = yield* McpServer.make({
          name: "s",
          version: "1",
          features: [
            McpTool.make("made", { extensions: options }, () => Effect.succeed("served")),
            ...McpToolkit.tools(toolkit)
          ]
        }).pipe(Effect.provide(toolkit.toLayer({ described: () => Effect.void })))
        const client = yield* clientOf(server, { protocolVersion: revision })
        for (const { execution, name } of yield* client.listTools()) {
          assert.deepStrictEqual(execution, revision === "2025-11-25" ? { taskSupport: "optional" } : undefined)
          assert.deepStrictEqual((yield* client.callTool(name)).content, [Content.text("com.example/one: optional")])
        }
      })
  )

  it.effect("of two extensions: the first that does not leave the call to the tool decides", () =>
    Effect.gen(function*() {
      const server = yield* McpServer.make({
        name: "s",
        version: "1",
        extensions: [one, two],
        features: [
          McpTool.make(
            "both",
            { extensions: [optionOf(two, "required"), optionOf(one, "optional")] },
            () => Effect.succeed("served")
          ),
          McpTool.make("second", { extensions: [optionOf(two, "required")] }, () => Effect.succeed("served")),
          McpTool.make("none", {}, () => Effect.succeed("served"))
        ]
      })
      const client = yield* clientOf(server)
      const textOf = (name: string) => Effect.map(client.callTool(name), ({ content }) => content)
      assert.deepStrictEqual(yield* textOf("both"), [Content.text("com.example/one: optional")])
      assert.deepStrictEqual(yield* textOf("second"), [Content.text("com.example/two: required")])
      assert.deepStrictEqual(yield* textOf("none"), [Content.text("served")])
    }))
})

it.effect("of the extensions of a client, one may make the calls of tools", () =>
  Effect.gen(function*() {
    const calling = (identifier: string): ClientExtension => ({
      _tag: "McpClientExtension",
      identifier,
      era: undefined,
      settings: undefined,
      notifications: new Set(),
      bind: () => ({ hear: new Map(), results: new Map(), callTool: () => Effect.never })
    })
    const extensions = [calling("com.example/one"), calling("com.example/two")]
    const made = McpClient.make(() => Effect.never, { name: "c", version: "1", extensions })
    const exit = yield* Effect.exit(Effect.scoped(made))
    assert.include(
      Exit.isFailure(exit) ? String(Cause.squash(exit.cause)) : "",
      "two extensions make calls of tools, one of them com.example/two"
    )
  }))
