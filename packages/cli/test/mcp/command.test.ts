import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import * as samples from "../../src/internal/mcp/everything/samples.ts"
import { version } from "../../src/internal/terminal/version.ts"
import * as Parley from "../Parley.ts"

const ok = (stdout: string, stderr = ""): Parley.Outcome => ({ code: 0, signal: null, stdout, stderr })

/** All commands of the tests, which run in one process, because starting one takes long; `@` stands for the server. */
const asked: Array<ReadonlyArray<string>> = []

/** The outcomes of all commands, with the server of `parley mcp serve`. */
class Outcomes extends Context.Service<Outcomes, ReadonlyArray<Parley.Outcome>>()("test/Outcomes") {
  static readonly layer = Layer.effect(
    Outcomes,
    Effect.gen(function*() {
      const server = yield* Parley.start(["mcp", "serve", "--http", "127.0.0.1:0"])
      const address = (yield* server.line).replace(/^listening /, "")
      assert.match(address, /^http:\/\/127\.0\.0\.1:\d+\/mcp$/)
      return yield* Parley.runAll(
        ...asked.map((words) => ["mcp", ...words.map((word) => word === "@" ? address : word)])
      )
    })
  )
}

const none: Parley.Outcome = { code: null, signal: null, stdout: "", stderr: "" }

/** Has commands run with all the others, and gives what came of each. */
const ask = (...all: ReadonlyArray<ReadonlyArray<string>>) => {
  const from = asked.length
  asked.push(...all)
  return Effect.map(Outcomes, (outcomes) => (at: number) => outcomes[from + at] ?? none)
}

/** The one value of JSON on stdout. */
const valueOf = ({ code, stderr, stdout }: Parley.Outcome) => {
  assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
  assert.match(stdout, /^[^\n]+\n$/)
  return JSON.parse(stdout)
}

layer(Outcomes.layer)("parley mcp", (it) => {
  const listed = ask(
    ["list", "@"],
    ["list", "@", "templates"],
    ["list", "@", "--json"],
    ["list", "@", "resources", "--json"]
  )
  it.effect("list shows a line for each, of one kind or of all", () =>
    Effect.gen(function*() {
      const outcome = yield* listed
      assert.match(outcome(0).stdout, /^Tools \(41\)\n {2}echo +Says what it was told\. \[reads only\]\n/)
      assert.match(outcome(0).stdout, /\n\nPrompts \(5\)\n {2}test_simple_prompt +A prompt without arguments\n/)
      assert.deepStrictEqual(
        outcome(1),
        ok(
          "test://template/{id}/data  Data of any id (application/json)\nskill://{+path}            The files of skills.\n"
        )
      )
      const all = valueOf(outcome(2))
      assert.deepStrictEqual(Object.keys(all), ["tools", "resources", "resourceTemplates", "prompts"])
      assert.strictEqual(all.tools.length, 41)
      const resources = valueOf(outcome(3))
      assert.deepStrictEqual(resources[0], {
        uri: "test://static-text",
        name: "static-text",
        title: "Static Text Resource",
        description: "A text that does not change",
        mimeType: "text/plain"
      })
    }))

  const shown = (...words: ReadonlyArray<string>) => [
    "call",
    Parley.stdio(new URL("../fixtures/environment.ts", import.meta.url).pathname),
    "variables",
    `names=["VITEST","ADDED"]`,
    ...words
  ]
  const environments = ask(
    shown(),
    shown("--env", "VITEST", "--env", "ADDED=a=b"),
    shown("--env-all"),
    ["call", "@", "echo", "text=1", "--env", "VITEST"],
    shown("--env", "=1")
  )
  it.effect("a command gets a safe environment, and what is added to it", () =>
    Effect.gen(function*() {
      const outcome = yield* environments
      const stdout = [0, 1, 2].map((at) => outcome(at).stdout)
      assert.deepStrictEqual(stdout, ["absent absent\n", "true a=b\n", "true absent\n"])
      assert.strictEqual(outcome(3).code, 64)
      assert.include(outcome(3).stderr, "--env and --env-all need an endpoint that is a command")
      assert.include(outcome(4).stderr, `"=1" is not a variable`)
    }))

  const called = ask(
    ["call", "@", "add", "a=1", "b=2.5"],
    ["call", "@", "add", `{"a":1,"b":2}`, "--json"],
    ["call", "@", "echo", "text=42"],
    ["call", "@", "json_schema_2020_12_tool", `address={"city":"Ulm"}`, "contactMethod=email", "email=a@b.c"],
    ["call", "@", "test_multiple_content_types", "--protocol-version", "2024-11-05"],
    ["call", `${Parley.stdio(Parley.bin)} mcp serve --stdio`, "add", "a=20", "b=22"],
    ["call", "@", "echo", "text:=\"42\""],
    ["call", "@", "echo", "text=@packages/cli/test/readers/main.jq"]
  )
  it.effect("call reads arguments as the schema says, or as one object of JSON", () =>
    Effect.gen(function*() {
      const outcome = yield* called
      assert.deepStrictEqual(outcome(0), ok(`{"sum":3.5}\n`))
      const { content, structuredContent } = valueOf(outcome(1))
      assert.deepStrictEqual([content, structuredContent], [[{ type: "text", text: `{"sum":3}` }], { sum: 3 }])
      assert.deepStrictEqual(outcome(2), ok("42\n"))
      assert.deepStrictEqual(
        outcome(3),
        ok(
          `JSON Schema 2020-12 tool called with: {"address":{"city":"Ulm"},"contactMethod":"email","email":"a@b.c"}\n`
        )
      )
      assert.deepStrictEqual(
        outcome(4),
        ok(`Multiple content types test:\n[image, image/png, 70 bytes]\n{"test":"data","value":123}\n`)
      )
      assert.deepStrictEqual(outcome(5), ok(`{"sum":42}\n`))
      assert.deepStrictEqual(outcome(6), ok("42\n"))
      assert.deepStrictEqual(outcome(7), ok(`${readFileSync("packages/cli/test/readers/main.jq", "utf8")}\n`))
    }))

  const folder = mkdtempSync(join(tmpdir(), "parley-out-"))
  afterAll(() => rmSync(folder, { recursive: true }))
  const at = (...names: ReadonlyArray<string>) => join(folder, ...names)
  const written = ask(
    ["call", "@", "test_image_content", "--out", at("pixel.png")],
    ["call", "@", "test_multiple_content_types", "-o", `${at("new", "folder")}/`, "--json"],
    ["read", "@", "test://static-binary", "--out", folder],
    ["read", "@", "test://static-text", "--out", at("text")],
    ["prompt", "@", "test_prompt_with_image", "--out", at("pixel.png")],
    ["call", "@", "echo", "text=a", "--out", at("none")],
    ["call", "@", "echo", "text=a", "--out", at("no", "folder")]
  )
  it.effect("call, read and prompt write content that is no text to files, and say so on stderr", () =>
    Effect.gen(function*() {
      const outcome = yield* written
      const pixel = "(image/png, 70 bytes)\n"
      assert.deepStrictEqual(outcome(0), ok("[image, image/png, 70 bytes]\n", `wrote ${at("pixel.png")} ${pixel}`))
      assert.strictEqual(outcome(1).stderr, `wrote ${at("new", "folder", "image-1.png")} ${pixel}`)
      assert.strictEqual(JSON.parse(outcome(1).stdout).content.length, 3)
      assert.deepStrictEqual(outcome(2), ok("", `wrote ${at("resource-1.png")} ${pixel}`))
      assert.deepStrictEqual(outcome(3), ok("", `wrote ${at("text")} (text/plain, 48 bytes)\n`))
      assert.strictEqual(outcome(4).stderr, `wrote ${at("pixel.png")} ${pixel}`)
      for (const names of [["pixel.png"], ["new", "folder", "image-1.png"], ["resource-1.png"]]) {
        assert.deepStrictEqual(readFileSync(at(...names)), Buffer.from(samples.pixel, "base64"))
      }
      assert.deepInclude(outcome(5), { code: 1, stdout: "a\n" })
      assert.include(outcome(5).stderr, `nothing was written to ${at("none")}`)
      assert.deepInclude(outcome(6), { code: 64, stdout: "" })
      assert.include(outcome(6).stderr, `there is no folder ${at("no")}`)
      assert.deepStrictEqual(readdirSync(folder).sort(), ["new", "pixel.png", "resource-1.png", "text"])
    }))

  const told = ask(
    ["call", "@", "test_tool_with_logging"],
    ["call", "@", "test_tool_with_logging", "--protocol-version", "2025-11-25"],
    ["call", "@", "test_tool_with_logging", "--log-level", "warn"],
    ["call", "@", "test_tool_with_progress"],
    ["call", "@", "test_tool_with_progress", "--protocol-version", "2025-03-26"]
  )
  it.effect("call shows progress and what the server logs on stderr, in both eras", () =>
    Effect.gen(function*() {
      const logs = "info: Tool execution started\ninfo: Tool processing data\ninfo: Tool execution completed\n"
      const progress = "progress: 0/100 Completed step 0 of 100\n"
        + "progress: 50/100 Completed step 50 of 100\nprogress: 100/100 Completed step 100 of 100\n"
      const outcome = yield* told
      const logged = "Tool with logging executed successfully\n"
      assert.deepStrictEqual(outcome(0), ok(logged, logs))
      assert.deepStrictEqual(outcome(1), ok(logged, logs))
      assert.deepStrictEqual(outcome(2), ok(logged))
      assert.strictEqual(outcome(3).stderr, progress)
      assert.strictEqual(outcome(4).stderr, progress)
    }))

  const unattended = ask(
    ["call", "@", "book_table", "restaurant=Luigi"],
    ["call", "@", "book_table", "restaurant=Luigi", "--protocol-version", "2025-11-25"],
    ["call", "@", "test_sampling", "prompt=Hi"]
  )
  it.effect("call declines what is asked where there is no terminal, in both eras, and offers no model", () =>
    Effect.gen(function*() {
      const declined = ok("Nothing was booked.\n", "declined, for there is no terminal to ask at: A table at Luigi\n")
      const outcome = yield* unattended
      assert.deepStrictEqual(outcome(0), declined)
      assert.deepStrictEqual(outcome(1), declined)
      assert.deepStrictEqual(outcome(2), {
        code: 1,
        signal: null,
        stdout: "",
        stderr: outcome(2).stderr
      })
      assert.match(outcome(2).stderr, /^parley: http:\/\/\S+: tools\/call \(id \d+\) was answered with error -32021: M/)
      assert.include(outcome(2).stderr, `\ndata: {"requiredCapabilities":{"sampling":{}}}\n`)
    }))

  const failed = ask(["call", "@", "test_error_handling"], ["call", "@", "test_error_handling", "--json"])
  it.effect("call exits 1 for an error of the tool, which it tells on stderr", () =>
    Effect.gen(function*() {
      const stderr = "parley: This tool intentionally returns an error for testing\n"
      const outcome = yield* failed
      assert.deepStrictEqual(outcome(0), { code: 1, signal: null, stdout: "", stderr })
      assert.deepInclude(outcome(1), { code: 1, stderr })
      assert.deepInclude(JSON.parse(outcome(1).stdout), {
        content: [{ type: "text", text: "This tool intentionally returns an error for testing" }],
        isError: true
      })
    }))

  const dice = "hint: roll_dice takes\n  count  integer 1..100, required  How many dice\n"
    + "  sides  integer 2..1000  Sides of each, 6 by default\n"
  const prompt = "hint: test_prompt_with_arguments takes\n"
    + "  arg1  string, required  First test argument\n  arg2  string, required  Second test argument\n"
  const wrong: ReadonlyArray<readonly [command: "call" | "prompt", words: ReadonlyArray<string>, stderr: string]> = [
    ["call", ["roll_dice"], `parley: count is missing\n${dice}`],
    ["call", ["roll_dice", "count=two"], `parley: count must be integer 1..100, but is "two"\n${dice}`],
    ["call", ["roll_dice", "count=1.5"], `parley: count must be integer 1..100, but is "1.5"\n${dice}`],
    ["call", ["roll_dice", `{"count":"1"}`], `parley: count must be integer 1..100, but is "1"\n${dice}`],
    ["call", ["roll_dice", "count=1", "side=6"], `parley: side is not an argument\n${dice}`],
    ["call", ["roll_dice", "count=1", "count=2"], `parley: count is given twice\n${dice}`],
    ["call", ["roll_dice", "1"], `parley: "1" is not of the form NAME=VALUE\n${dice}`],
    ["call", ["json_schema_2020_12_tool", "contactMethod=fax"], "contactMethod must be \"phone\" | \"email\""],
    ["call", ["ad", "a=1"], "parley: the server has no tool \"ad\" (hint: did you mean add?)"],
    ["call", ["roll"], "parley: the server has no tool \"roll\" (hint: it has echo, add, roll_dice, "],
    ["prompt", ["test_prompt_with_arguments", "arg1:=1"], `parley: arg1 is not a string\n${prompt}`],
    ["prompt", ["test_prompt_with_arguments", "arg1=a"], `parley: arg2 is missing\n${prompt}`],
    [
      "prompt",
      ["test_simple_prompt", "a=b"],
      "parley: a is not an argument (hint: test_simple_prompt takes no arguments)"
    ],
    [
      "call",
      ["echo", "text=a", "--protocol-version", "2025-01-01"],
      "parley: \"2025-01-01\" is not a version of MCP (hint: use one of 2"
    ],
    ["call", ["echo", "text=a", "--timeout", "soon"], "parley: \"soon\" is not a duration (hint: "]
  ]
  const refused = ask(...wrong.map(([command, words]) => [command, "@", ...words]))
  it.effect("exits 64 with what a tool or a prompt takes, where the arguments are wrong", () =>
    Effect.gen(function*() {
      const outcome = yield* refused
      for (const [at, [, words, stderr]] of wrong.entries()) {
        assert.deepInclude(outcome(at), { code: 64, stdout: "" }, words.join(" "))
        assert.include(outcome(at).stderr, stderr)
      }
    }))

  const got = ask(
    ["read", "@", "test://static-text"],
    ["read", "@", "test://static-text", "--json"],
    ["read", "@", "test://nowhere"],
    ["prompt", "@", "test_prompt_with_arguments", "arg1=one", "arg2:=\"two=2\""],
    ["prompt", "@", "test_prompt_with_image", "--json"],
    ["complete", "@", "prompt:test_prompt_with_arguments", "arg1", "par"],
    ["complete", "@", "test://template/{id}/data", "id", "2", "--json"],
    ["complete", "@", "greeting", "name", ""],
    ["read", "@", "test://nowhere", "--json"]
  )
  it.effect("read, prompt and complete print what was asked for", () =>
    Effect.gen(function*() {
      const outcome = yield* got
      const text = "This is the content of the static text resource."
      assert.deepStrictEqual(outcome(0), ok(text))
      assert.deepStrictEqual(valueOf(outcome(1)).contents, [
        { uri: "test://static-text", mimeType: "text/plain", text }
      ])
      assert.deepInclude(outcome(2), { code: 1, stdout: "" })
      assert.match(
        outcome(2).stderr,
        /^parley: http:\S+: resources\/read \(id \d+\) was answered with error -32602: Resource/
      )
      assert.deepStrictEqual(
        outcome(3),
        ok("# A prompt that needs two arguments\nuser: Prompt with arguments: arg1='one', arg2='two=2'\n")
      )
      assert.strictEqual(valueOf(outcome(4)).messages.length, 2)
      assert.deepStrictEqual(outcome(5), ok("paris\npark\nparty\n"))
      assert.deepStrictEqual(valueOf(outcome(6)).completion.values, ["200"])
      assert.deepInclude(outcome(7), { code: 64, stdout: "" })
      assert.include(outcome(7).stderr, "\"greeting\" is neither a prompt nor a template")
      const { code, stdout } = outcome(8)
      const { error: { endpoint, ...error } } = JSON.parse(stdout)
      assert.strictEqual(code, 1)
      assert.match(endpoint, /^http:/)
      assert.deepInclude(error, {
        tag: "ProtocolError",
        method: "resources/read",
        code: -32602,
        message: "Resource not found"
      })
    }))

  const inspected = ask(["inspect", "@"], ["inspect", "@", "--json"], [
    "inspect",
    "@",
    "--protocol-version",
    "2025-06-18"
  ])
  it.effect("inspect shows who a server is, and its tools with their arguments", () =>
    Effect.gen(function*() {
      const outcome = yield* inspected
      assert.deepInclude(outcome(0), { code: 0, stderr: "" })
      assert.include(
        outcome(0).stdout,
        `Everything (parley-everything ${version})\nprotocol      2026-07-28; also 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05\n`
      )
      assert.match(outcome(0).stdout, /^capabilities {2}.*resources \(listChanged, subscribe\)/m)
      assert.include(
        outcome(0).stdout,
        `\nextensions    io.modelcontextprotocol/skills {"directoryRead":true}\n              io.modelcontextprotocol/tasks\ninstructions  A server to try clients with.`
      )
      assert.include(
        outcome(0).stdout,
        "  ├ count  integer 1..100, required  How many dice\n  └ sides  integer 2..1000  Sides of each, 6 by default\n"
      )
      const whole = valueOf(outcome(1))
      assert.deepInclude(whole, {
        protocolVersion: "2026-07-28",
        protocolVersions: ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
      })
      assert.deepStrictEqual(whole.serverInfo, { name: "parley-everything", version, title: "Everything" })
      assert.isNotEmpty(whole.tools[0].inputSchema.properties)
      assert.match(outcome(2).stdout, /^protocol {6}2025-06-18$/m)
    }))

  const linted = ask(["inspect", "@", "--lint"], ["inspect", "@", "--lint", "--json"])
  it.effect("inspect says what models refuse of the tools, and ends with 1 where there is something", () =>
    Effect.gen(function*() {
      const outcome = yield* linted
      assert.strictEqual(outcome(0).code, 1)
      assert.match(outcome(0).stdout, /^json_schema_2020_12_tool: inputSchema\.allOf: Anthropic and OpenAI refuse/m)
      assert.match(outcome(0).stderr, /^parley: models refuse or miss \d+ things\n$/)
      assert.strictEqual(outcome(1).code, 1)
      const places = JSON.parse(outcome(1).stdout).map((
        { path, tool }: { path: ReadonlyArray<string>; tool: string }
      ) => `${tool} ${path.join(".")}`)
      assert.include(places, "json_schema_2020_12_tool inputSchema.properties.address.$ref")
    }))

  const silent = `stdio:"${process.execPath}" -e "process.stdin.resume()"`
  const unanswered = ask(
    ["list", "http://127.0.0.1:1/mcp"],
    ["list", silent, "--timeout", "300ms"],
    ["list", "gopher://example.org"],
    ["serve"],
    ["call", "--help"]
  )
  it.effect("exits 2 where nobody answers, and 64 where there is no endpoint or no place", () =>
    Effect.gen(function*() {
      const outcome = yield* unanswered
      assert.deepInclude(outcome(0), { code: 2, stdout: "" })
      assert.match(outcome(0).stderr, /^parley: http:\/\/127\.0\.0\.1:1\/mcp .*ECONNREFUSED/)
      assert.deepInclude(outcome(1), { code: 2, stdout: "" })
      assert.deepInclude(outcome(2), { code: 64, stdout: "" })
      assert.deepInclude(outcome(3), { code: 64, stdout: "" })
      assert.include(outcome(4).stdout, "parley mcp call \"stdio:parley mcp serve --stdio\" add a=1 b=2")
    }))
})

const message = (id: number, method: string, params: object) =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params }) + "\n"

const hello = message(1, "initialize", {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "test", version: "1" }
}) + `{"jsonrpc":"2.0","method":"notifications/initialized"}\n`

describe("parley mcp serve --stdio", () => {
  it.live("keeps stdout for JSON-RPC, and ends with its input, whatever runs", () =>
    Effect.gen(function*() {
      const server = yield* Parley.start(["mcp", "serve", "--stdio"])
      const calls = message(2, "tools/call", { name: "test_tool_with_logging" })
        + message(3, "tools/call", { name: "count_down", arguments: { seconds: 3600 }, _meta: { progressToken: 1 } })
      yield* server.write(`no JSON\n${hello}${calls}`)
      const lines: Array<{ readonly [member: string]: unknown }> = []
      while (!lines.some(({ id }) => id === 2)) lines.push(JSON.parse(yield* server.line))
      yield* server.end
      const { code, signal, stderr, stdout } = yield* server.outcome
      assert.deepStrictEqual({ code, signal }, { code: 0, signal: null })
      for (const line of stdout.trimEnd().split("\n")) assert.strictEqual(JSON.parse(line).jsonrpc, "2.0")
      assert.isNotEmpty(lines.filter(({ method }) => method === "notifications/message"))
      assert.notInclude(stderr, "Error")
    }))
})
