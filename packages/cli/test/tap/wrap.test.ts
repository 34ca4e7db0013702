import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { basename } from "node:path"
import { join, split } from "../../src/internal/arguments/words.ts"
import { programOf, recordingBeside } from "../../src/internal/commands/wrap.ts"
import * as Endpoint from "../../src/internal/Endpoint.ts"
import * as jsonc from "../../src/internal/files/jsonc.ts"
import type { Outcome } from "../../src/internal/tap/configuration/Servers.ts"
import * as unwrapping from "../../src/internal/tap/configuration/unwrap.ts"
import * as wrapping from "../../src/internal/tap/configuration/wrap.ts"
import { configurations } from "./configurations.ts"

const program = { command: "/bin/node", args: ["/parley/bin.js"] }

const wrap = (text: string, names: ReadonlyArray<string> = []) =>
  wrapping.wrap(text, names, { program, recordingOf: (name) => `/log/${name}.jsonl` })

const wrapped = (text: string): Outcome => Result.getOrThrowWith(wrap(text), (why) => new Error(why))

const unwrapped = (text: string): Outcome => Result.getOrThrowWith(unwrapping.unwrap(text, []), (why) => new Error(why))

interface Server {
  readonly command?: string
  readonly args?: ReadonlyArray<string>
  readonly url?: string
  readonly serverUrl?: string
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
}

/** The servers of a configuration, by their names. */
const serversOf = (text: string): Readonly<Record<string, Server>> => {
  // The configurations of this file have this form.
  const all = Result.getOrThrow(jsonc.parse(text)) as Record<string, Readonly<Record<string, Server>>>
  return all["mcpServers"] ?? all["servers"] ?? all["context_servers"] ?? {}
}

describe("a tap before the servers of a configuration", () => {
  it.prop("is taken away to the last character", [configurations], ([text]) => {
    const { changed, left, text: tapped } = wrapped(text)
    assert.deepStrictEqual([...left], [])
    assert.sameMembers([...changed], Object.keys(serversOf(text)))
    assert.strictEqual(unwrapped(tapped).text, text)
  }, { arbitrary: { runs: 300 } })

  it.prop("starts each server as it was started before, and leaves all other members as they are", [configurations], ([
    text
  ]) => {
    const after = serversOf(wrapped(text).text)
    for (const [name, before] of Object.entries(serversOf(text))) {
      const { args = [], command, env = {}, type, ...others } = after[name] ?? {}
      assert.strictEqual(command, program.command)
      const end = args.indexOf("--", args.indexOf("--wrapped"))
      const endpoint = Result.flatMap(Endpoint.textOfWords(args.slice(end + 1)), Endpoint.fromText)
      const {
        args: given = [],
        command: started,
        env: variables = {},
        headers,
        serverUrl,
        type: kind,
        url = serverUrl,
        ...rest
      } = before
      const sent = args.flatMap((word, index) =>
        args[index - 1] === "--header-env" && index < end ? [word.split("=")] : []
      )
      assert.deepStrictEqual(
        Object.fromEntries(sent.map(([name, variable]) => [name, env[variable ?? ""]])),
        { ...headers }
      )
      if (headers === undefined) assert.deepStrictEqual(env, variables)
      assert.deepStrictEqual(
        endpoint,
        // An empty command is none, with a tap as without.
        started === "" ?
          Result.fail("the command is missing")
          : started === undefined
          ? Result.succeed<Endpoint.Http>({ _tag: "Http", url: url ?? "" })
          : Result.succeed<Endpoint.Command>({ _tag: "Command", command: started, args: given })
      )
      assert.deepStrictEqual<unknown>(others, rest)
      assert.strictEqual(type, kind === undefined ? undefined : "stdio")
      assert.deepStrictEqual(args.slice(0, 2), [...program.args, "tap"])
      assert.deepStrictEqual(args.slice(4, 8), ["--listen", "stdio:", "--record", `/log/${name}.jsonl`])
    }
  })

  it.prop("is put there once", [configurations], ([text]) => {
    const once = wrapped(text)
    const twice = wrapped(once.text)
    assert.strictEqual(twice.text, once.text)
    assert.deepStrictEqual([...twice.left], once.changed.map((name) => [name, wrapping.already]))
    const gone = unwrapped(text)
    assert.deepStrictEqual([gone.text, gone.changed], [text, []])
  })

  it.prop("is taken away from what a host has written again", [configurations], ([text]) => {
    const rewritten = JSON.stringify(Result.getOrThrow(jsonc.parse(wrapped(text).text)), undefined, 2)
    assert.deepStrictEqual(jsonc.parse(unwrapped(rewritten).text), jsonc.parse(text))
  })

  it("stands where a person reads it", () => {
    assert.strictEqual(
      wrapped(`{
  "mcpServers": {
    // The files of the project
    "files": {
      "command": "npx",
      "args": [
        "-y", // without a question
        "server-filesystem"
      ]
    },
    "alone": {
      "command": "server",
      "env": { "KEY": "\${input:key}" }
    },
    "remote": { "type": "http", "url": "https://example.org/mcp" }
  }
}`).text,
      `{
  "mcpServers": {
    // The files of the project
    "files": {
      "command": "/bin/node",
      "args": [
        "/parley/bin.js", "tap", "--wrapped", "command,args", "--listen", "stdio:", "--record", "/log/files.jsonl", "--", "stdio:", "npx", "-y", // without a question
        "server-filesystem"
      ]
    },
    "alone": {
      "command": "/bin/node",
      "args": ["/parley/bin.js", "tap", "--wrapped", "command", "--listen", "stdio:", "--record", "/log/alone.jsonl", "--", "stdio:", "server"],
      "env": { "KEY": "\${input:key}" }
    },
    "remote": { "type": "stdio", "command": "/bin/node", "args": ["/parley/bin.js", "tap", "--wrapped", "url,type=http", "--listen", "stdio:", "--record", "/log/remote.jsonl", "--", "https://example.org/mcp"] }
  }
}`
    )
  })

  it("changes only the servers that are named", () => {
    const text = `{"servers": {"a": {"command": "a"}, "b": {"command": "b"}}}`
    const { changed, text: tapped } = Result.getOrThrow(wrap(text, ["b", "b"]))
    assert.deepStrictEqual(changed, ["b"])
    assert.include(tapped, `"a": {"command": "a"}`)
    assert.deepStrictEqual(Result.getOrThrow(unwrapping.unwrap(tapped, ["a"])).changed, [])
    assert.strictEqual(Result.getOrThrow(unwrapping.unwrap(tapped, ["b"])).text, text)
  })

  it("is put before the servers of each list, and a list that has none is named", () => {
    const text = `{"mcpServers": {}, "servers": {"a": {"command": "a"}}, "context_servers": {"b": {"command": "b"}}}`
    const { changed, left, text: tapped } = wrapped(text)
    assert.deepStrictEqual([changed, [...left]], [["a", "b"], []])
    assert.strictEqual(unwrapped(tapped).text, text)
    const other = wrapped(`{"mcpServers": {"a": {"command": "a"}}, "servers": []}`)
    assert.deepStrictEqual([other.changed, [...other.left]], [["a"], [["servers", "it is not an object"]]])
  })

  it("does not need headers where there are none", () => {
    for (const env of ["", `, "env": {"KEY": "x"}`]) {
      const text = `{"servers": {"a": {"url": "https://example.org/mcp", "headers": {}${env}}}}`
      const { changed, text: tapped } = wrapped(text)
      assert.deepStrictEqual(changed, ["a"])
      assert.notInclude(tapped, "--header-env")
      assert.strictEqual(unwrapped(tapped).text, text)
    }
  })

  it("leaves servers alone for which there is no tap that could be taken away, and says why", () => {
    const { left, text } = wrapped(`{"mcpServers": {
      "nested": {"command": {"path": "x", "args": []}},
      "none": {},
      "both": {"command": "x", "url": "https://example.org"},
      "numbers": {"command": "x", "args": [1]},
      "socket": {"url": "ws://example.org"},
      "list": {"url": "https://example.org", "headers": ["authorization"]},
      "alike": {"url": "https://example.org", "headers": {"x-a": "1", "x_a": "2"}},
      "odd": {"url": "https://example.org", "headers": {"x a": "1"}},
      "mixed": {"url": "https://example.org", "headers": {"x-a": "1"}, "env": {}},
      "user": {"url": "https://ada:x@example.org/mcp"},
      "query": {"type": "http", "url": "https://example.org/mcp?key=x"},
      "input": {"url": "https://example.org/\${input:key}/mcp"},
      "variable": {"url": "\${env:URL}"},
      "oauth": {"url": "https://example.org/mcp", "oauth": {"clientId": "x"}},
      "twice": {"command": "x", "command": "y"},
      "text": "x"
    }}`)
    assert.deepStrictEqual(Object.fromEntries(left), {
      nested: "its command is not a text",
      none: "it has neither a command alone nor a URL alone",
      both: "it has neither a command alone nor a URL alone",
      numbers: "its args are not a list of texts",
      socket: "its URL is not one of http or https",
      list: "it is not an object",
      alike: "its header \"x_a\" is unusual",
      odd: "its header \"x a\" is unusual",
      mixed: "it has env beside its URL",
      user: "its URL has a user, a query or a variable: these may be secrets, and arguments are seen by all",
      query: "its URL has a user, a query or a variable: these may be secrets, and arguments are seen by all",
      input: "its URL has a user, a query or a variable: these may be secrets, and arguments are seen by all",
      variable: "its URL has a user, a query or a variable: these may be secrets, and arguments are seen by all",
      oauth: "it has oauth, by which its host signs in, and would no longer",
      twice: "\"command\" stands in it twice",
      text: "it is not an object"
    })
    assert.notInclude(text, "tap")
  })

  it.each([
    ["{", "line 1, column 2: close brace expected"],
    ["", "line 1, column 1: value expected"],
    ["{\n  \"servers\": {} {}\n}", "line 2, column 17: "],
    ["{\"mcp\": {}}", "it has no member mcpServers, servers, context_servers"],
    ["[]", "it is not an object"],
    ["{\"servers\": []}", "servers: it is not an object"],
    ["{\"servers\": {\"a\": {}, \"a\": {}}}", "servers: \"a\" stands in it twice"],
    ["{\"servers\": {\"a\": {}, \"b\": {}}}", "there is no server \"c\", but a, b"],
    ["[".repeat(100_000), "it is nested too deeply"]
  ])("is refused where the configuration is %j", (text, why) => {
    const outcome = wrap(text, ["c"])
    assert.isTrue(Result.isFailure(outcome))
    assert.include(Result.isFailure(outcome) ? outcome.failure : "", why)
  })
})

describe("the program of a tap", () => {
  it("is the command that runs, or npx where it runs from the folder of that", () => {
    const npx = { command: "npx", args: ["-y", "@parley/cli"] }
    const own = "/home/ada/project/node_modules/@parley/cli/dist/bin.js"
    assert.deepStrictEqual(programOf("/bin/node", own), { command: "/bin/node", args: [own] })
    assert.deepStrictEqual(programOf("/bin/node", "/home/ada/.npm/_npx/1a/node_modules/@parley/cli/dist/bin.js"), npx)
    assert.deepStrictEqual(programOf("node.exe", "C:\\Users\\ada\\npm-cache\\_npx\\1a\\bin.js"), npx)
    assert.deepStrictEqual(
      programOf("/bin/node", "/home/ada/.cache/pnpm/dlx/1a/node_modules/@parley/cli/dist/bin.js"),
      npx
    )
  })

  it("records beside the configuration, whatever the name of the server", () => {
    assert.strictEqual(recordingBeside("/a/mcp.json", "io.x/..\\*é"), "/a/mcp.json.io.x%2F..%5C%2A%C3%A9.jsonl")
    const long = [..."ab"].map((end) => basename(recordingBeside("/a/mcp.json", `${"é".repeat(500)}${end}`)))
    assert.match(long[0]!, /^mcp\.json\.(?:%C3%A9)+.*~[0-9a-f]{16}\.jsonl$/)
    assert.isBelow(long[0]!.length, 255)
    assert.notStrictEqual(long[0], long[1])
    assert.strictEqual(recordingBeside("/a/mcp.json", "\ud800"), "/a/mcp.json.%EF%BF%BD.jsonl")
  })
})

describe("words", () => {
  it.prop("are those of the text that they are joined to", [Schema.Array(Schema.String)], ([words]) => {
    assert.deepStrictEqual(split(join(words)), Result.succeed(words))
  })

  it("are an endpoint: its text, or a command word by word", () => {
    assert.deepStrictEqual(Endpoint.textOfWords(["tcp://a:1"]), Result.succeed("tcp://a:1"))
    assert.deepStrictEqual(Endpoint.textOfWords(["node", "a b", "-x"]), Result.succeed("stdio:node 'a b' -x"))
    assert.deepStrictEqual(Endpoint.textOfWords(["stdio:", "a b"]), Result.succeed("stdio:'a b'"))
    assert.deepStrictEqual(Endpoint.textOfWords(["stdio:node 'a b'", "c"]), Result.succeed("stdio:node 'a b' c"))
    assert.deepStrictEqual(
      Endpoint.textOfWords(["tcp://a:1", "b"]),
      Result.fail("\"tcp://a:1\" takes no further words")
    )
    assert.isTrue(Result.isFailure(Endpoint.textOfWords([])))
  })
})
