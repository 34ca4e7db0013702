/** All that a foreign client gets from a server, as one value; and the servers and clients of the tests that compare it. */
import type { Transport as TransportV1 } from "@modelcontextprotocol/sdk/shared/transport.js"
import { Effect, Queue, type Scope } from "effect"
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type * as foreign from "../../../mcp/test/interop/support/foreign.ts"
import * as officialV1 from "../../../mcp/test/interop/support/officialV1.ts"
import * as officialV2 from "../../../mcp/test/interop/support/officialV2.ts"

/** Arguments of tools whose results two runs have in common. */
const args: { readonly [tool: string]: object } = {
  echo: { text: "hi", message: "hi" },
  add: { a: 1, b: 2 },
  count_down: { seconds: 1 },
  book_table: { restaurant: "Ada's" },
  greet: { name: "Ada" },
  test_simple_text: {},
  test_image_content: {},
  test_error_handling: {},
  test_tool_with_logging: {},
  test_tool_with_progress: {},
  test_streaming_elicitation: {},
  test_x_mcp_header: { region: "eu" },
  test_sampling: { prompt: "well?" },
  test_input_required_result_elicitation: {},
  test_input_required_result_list_roots: {},
  "get-annotated-message": { messageType: "error", includeImage: true },
  "get-resource-links": { count: 3 },
  "get-structured-content": { location: "Chicago" },
  "get-sum": { a: 1, b: 2 },
  "trigger-long-running-operation": { duration: 0.1, steps: 5 },
  "trigger-sampling-request": { prompt: "well?", maxTokens: 5 }
}

const outcome = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.match(effect, { onSuccess: (value): unknown => value, onFailure: (error) => ({ error: String(error) }) })

/** What no two runs have in common: times, ids, and the origin in a URL. */
const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, one: unknown) =>
      typeof one === "string"
        ? one.replace(/\d{1,2}:\d\d:\d\d(?:\.\d+Z)?( [AP]M)?/g, "TIME").replace(/[\da-f]{8}-[\da-f-]{27}/g, "ID")
        : one)
  )

/** The tools of a short transcript: one that answers, one that asks, and one that tells how far it is. */
const few = new Set(["add", "book_table", "test_tool_with_progress"])

/** Calls tools, reads resources, gets prompts, and hears of progress and logs. */
const of = (isShort: boolean) => (connected: foreign.Connected) =>
  Effect.gen(function*() {
    const { capabilities, heard, identity, instructions, revision } = connected
    const told: Record<string, unknown> = { revision, identity, instructions, capabilities }
    yield* Effect.ignore(connected.setLogLevel("debug"))
    for (const list of ["tools", "resources", "resourceTemplates", "prompts"] as const) {
      told[list] = yield* connected.all(list)
    }
    const tools = yield* connected.all("tools")
    for (const tool of tools) {
      const { name } = tool as { readonly name: string }
      const given = args[name]
      if (given === undefined || (isShort && !few.has(name))) continue
      const progress: Array<unknown> = []
      yield* Queue.clear(heard.logs)
      const result = yield* outcome(connected.callTool(name, given, { onProgress: (one) => void progress.push(one) }))
      // Other servers log whenever they like, on a stream of their own.
      const logs = name === "test_tool_with_logging" ? yield* Queue.clear(heard.logs) : []
      told[`tool ${name}`] = { result, progress, logs }
    }
    told["no tool"] = yield* outcome(connected.callTool("nothing"))
    for (const uri of ["test://static-text", "test://template/7/data", "demo://resource/static/document/features.md"]) {
      told[uri] = yield* outcome(connected.readResource(uri))
    }
    told["prompt"] = yield* outcome(connected.getPrompt("test_prompt_with_arguments", { arg1: "a", arg2: "b" }))
    told["ping"] = yield* outcome(connected.ping)
    return plain(told)
  })

/** The transcript of each client of a URL, the whole one or a short one. */
export const clients: Readonly<
  Record<string, (url: string, isShort?: boolean) => Effect.Effect<unknown, unknown, Scope.Scope>>
> = {
  "the SDK, version 1": (url, isShort = false) =>
    Effect.flatMap(officialV1.connect(officialV1.http(url) as TransportV1), of(isShort)),
  "the SDK, version 2, of the legacy era": (url, isShort = false) =>
    Effect.flatMap(officialV2.connect(officialV2.http(url), "legacy"), of(isShort)),
  "the SDK, version 2, of the modern era": (url, isShort = false) =>
    Effect.flatMap(officialV2.connect(officialV2.http(url), { pin: "2026-07-28" }), of(isShort))
}

/** The program that the package calls `mcp-inspector`. */
const inspector = fileURLToPath(
  new URL(
    "../../../mcp/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js",
    import.meta.url
  )
)

/** What the inspector's command line says, at home in a folder of its own. */
export const inspect = (url: string, ...words: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const home = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "inspector-"))),
      (home) => Effect.sync(() => rmSync(home, { recursive: true }))
    )
    const said = yield* Effect.callback<string>((resume) => {
      const child = execFile(
        process.execPath,
        [inspector, "--cli", "--format", "json", "--quiet", "--transport", "http", "--server-url", url, ...words],
        { env: { HOME: home, PATH: process.env["PATH"] } },
        (error, stdout, stderr) => resume(Effect.succeed(`${String(error?.code ?? 0)} ${stdout}${error && stderr}`))
      )
      return Effect.sync(() => void child.kill("SIGKILL"))
    })
    return said.replaceAll(url, "URL").replace(/[\da-f]{8}-[\da-f-]{27}/g, "ID")
  })
