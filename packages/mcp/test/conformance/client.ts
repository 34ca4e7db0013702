/**
 * The client that the conformance suites try: `client.ts URL`.
 *
 * The suites say in the environment what they want to see. Nothing here does what a client would not do by itself; a
 * scenario only names the calls that its server waits for.
 */
import * as McpSkills from "@parley/mcp-apps/McpSkills"
import type * as McpClient from "@parley/mcp/McpClient"
import * as McpHttpClient from "@parley/mcp/McpHttpClient"
import * as Revision from "@parley/mcp/wire/Revision"
import * as NodeHttp from "@parley/node/NodeHttp"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Authorization from "./support/authorization.ts"

type Client = McpClient.McpClient

/** What a scenario tells its client beside its name. */
const Told = Schema.Struct({
  ...Authorization.Told.fields,
  toolCalls: Schema.optionalKey(Schema.Array(Schema.Struct({ name: Schema.String, arguments: Schema.JsonObject })))
})

const told = Schema.decodeUnknownSync(Schema.fromJsonString(Told))(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}")

const lists = (client: Client) => client.listTools()

const calls = (...names: ReadonlyArray<string>) => (client: Client) =>
  Effect.andThen(
    client.listTools(),
    Effect.forEach(names, (name) => client.callTool(name), { concurrency: "unbounded", discard: true })
  )

/** Uses everything that the server lists. */
const uses = (client: Client) =>
  Effect.gen(function*() {
    for (const { name } of yield* client.listTools()) yield* client.callTool(name)
    for (const { uri } of yield* client.listResources()) yield* client.readResource(uri)
    for (const { name } of yield* client.listPrompts()) yield* client.getPrompt(name)
  })

/** Calls the tools that are listed, as the suite says. */
const callsAsTold = (client: Client) =>
  Effect.gen(function*() {
    const listed = yield* client.listTools()
    for (const { name } of listed) {
      for (const call of told.toolCalls ?? []) {
        if (call.name === name) yield* client.callTool(name, call.arguments)
      }
    }
  })

/** Calls every tool that is listed. */
const callsAll = (client: Client) =>
  Effect.flatMap(
    client.listTools(),
    Effect.forEach(({ name }) => client.callTool(name, { region: "eu" }))
  )

/** Sends the schema of one tool back to another, as it came. */
const echoesSchema = (client: Client) =>
  Effect.gen(function*() {
    for (const { inputSchema, name } of yield* client.listTools()) {
      if (name !== "json_schema_echo") yield* client.callTool("json_schema_echo", { schema: inputSchema })
    }
  })

/** What a client does that knows nothing of the server. */
const looks = (client: Client) =>
  Effect.gen(function*() {
    if (client.capabilities?.tools !== undefined) yield* client.listTools()
    if (client.capabilities?.resources !== undefined) yield* client.listResources()
    if (client.capabilities?.prompts !== undefined) yield* client.listPrompts()
  })

/** Loads the first skill that is listed, and then its other files. One that is not what its entry says is not loaded. */
const loads = (client: Client) =>
  Effect.gen(function*() {
    const skills = yield* McpSkills.client(client)
    const [first] = yield* Stream.runCollect(skills.list)
    if (first === undefined || first.resources === "dynamic") return
    yield* skills.read(first)
    const folder = first.uri.slice(0, -"SKILL.md".length)
    for (const { uri } of first.resources) yield* skills.read(first, uri.slice(folder.length))
  }).pipe(Effect.catchTag("SkillMismatch", ({ message }) => Effect.logInfo(message)))

const scenarios: { readonly [name: string]: (client: Client) => Effect.Effect<unknown, unknown> } = {
  tools_call: (client) => Effect.andThen(client.listTools(), client.callTool("add_numbers", { a: 5, b: 3 })),
  "elicitation-sep1034-client-defaults": calls("test_client_elicitation_defaults"),
  "sse-retry": calls("test_reconnection"),
  "request-metadata": (client) => client.discover,
  "sep-2322-client-request-state": calls(
    "test_mrtr_echo_state",
    "test_mrtr_no_state",
    "test_mrtr_unrelated",
    "test_mrtr_no_result_type"
  ),
  "http-standard-headers": uses,
  "http-custom-headers": callsAsTold,
  "http-invalid-tool-headers": callsAll,
  "json-schema-ref-no-deref": lists,
  "json-schema-2020-12-preservation": echoesSchema,
  "sep-2640-client-no-prefetch": (client) =>
    Effect.flatMap(McpSkills.client(client), ({ list }) => Stream.runCollect(list)),
  "sep-2640-client-verify-digest": loads,
  "sep-2640-client-verify-size": loads,
  "sep-2640-client-verify-frontmatter": loads
}

const name = process.env["MCP_CONFORMANCE_SCENARIO"] ?? ""

/** Calls the tool of the scenarios of authorization, and once more, for a server may change its mind. */
const callsTwice = (client: Client) =>
  Effect.andThen(client.listTools(), Effect.andThen(client.callTool("test-tool"), client.callTool("test-tool")))

const scenario = name.startsWith("auth/") ? callsTwice : scenarios[name] ?? looks

// Where a revision of the legacy era is wanted, each message is held against its schema, and a probe fits none.
const wanted = process.env["MCP_CONFORMANCE_PROTOCOL_VERSION"]
const revision = Revision.isKnown(wanted) && Revision.era(wanted) === "legacy" ? wanted : "auto"

const program = Effect.gen(function*() {
  const fetcher = yield* NodeHttp.makeFetcher()
  const client = yield* McpHttpClient.make(fetcher, {
    name: "parley-conformance",
    version: "1.0.0",
    url: process.argv.at(-1) ?? "",
    protocolVersion: revision,
    auth: Authorization.authorizationFor(name, told),
    handlers: {
      elicit: () => Effect.succeed({ action: "accept" as const, content: {} }),
      sample: () =>
        Effect.succeed({ role: "assistant" as const, model: "none", content: { type: "text" as const, text: "well" } }),
      roots: Effect.succeed([{ uri: "file:///work", name: "work" }])
    }
  })
  yield* scenario(client)
})

await Effect.runPromise(Effect.scoped(program))
