/** A configuration that the command changes, and its server as a host starts it. */
import { assert, describe, it } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { McpServer as OldServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js"
import { McpHttp, McpServer, McpTool } from "@parley/mcp"
import { NodeHttp } from "@parley/node"
import * as Recorder from "@parley/traffic/Recorder"
import { Effect, Result } from "effect"
import { chmod, chown, lstat, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import { createRequire } from "node:module"
import type { AddressInfo } from "node:net"
import { basename, join } from "node:path"
import * as jsonc from "../../src/internal/files/jsonc.ts"
import { configured } from "../mcp/gateway/configured.ts"
import * as Parley from "../Parley.ts"

const everything = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-everything/dist/index.js")

const text = `{
  // What a host starts.
  "mcpServers": {
    "every thing": {
      "command": "${process.execPath}",
      "args": [
        ${JSON.stringify(everything)}, // The reference server
        "stdio", "it's \\"quoted\\" $HOME"
      ],
      "env": { "FROM_THE_HOST": "as before" },
    },
    "other": { "url": "ws://example.org/mcp" },
  },
}
`

const read = (file: string) => Effect.promise(() => readFile(file, "utf8"))

/** The server of this name, as the configuration says to start it. */
const serverOf = (text: string, name: string) => {
  // The test has written the configuration.
  const { mcpServers } = Result.getOrThrow(jsonc.parse(text)) as {
    readonly mcpServers: Record<
      string,
      { readonly command: string; readonly args: Array<string>; readonly env: Record<string, string> }
    >
  }
  return mcpServers[name]!
}

/** What the tool of a server says, to a host that starts the server. */
const called = async ({ args, command, env }: ReturnType<typeof serverOf>, tool: string): Promise<string> => {
  const client = new Client({ name: "host", version: "1" })
  await client.connect(new StdioClientTransport({ command, args, env, stderr: "ignore" }))
  try {
    const { tools } = await client.listTools()
    assert.include(tools.map(({ name }) => name), tool)
    return JSON.stringify(await client.callTool({ name: tool, arguments: {} }))
  } finally {
    await client.close()
  }
}

/** The methods that the host has called and notified, as a recording has them. */
const methodsOf = (recording: string) =>
  Effect.map(read(recording), (text) =>
    text.trimEnd().split("\n")
      .map((line) => Result.getOrThrow(Recorder.fromLine(line)))
      .flatMap((frame) => frame._tag === "Sent" ? [JSON.parse(frame.text).method] : []))

describe("parley tap --wrap", () => {
  it.live("records what a host and its server say, and --unwrap gives the file back", () =>
    Effect.gen(function*() {
      const { file, folder } = yield* configured(text)
      yield* Effect.promise(() => chmod(file, 0o640))
      const link = join(folder, "link.json")
      yield* Effect.promise(() => symlink(file, link))

      // As a process of its own: the path of its script stands in the configuration.
      const put = yield* Parley.runScript(Parley.node, [Parley.bin, "tap", "--wrap", link])
      const recording = `${link}.every%20thing.jsonl`
      assert.deepStrictEqual([put.code, put.stdout], [0, `every thing: its messages are added to ${recording}\n`])
      assert.include(put.stderr, "other: it stays as it is: its URL is not one of http or https")

      const told = yield* Effect.promise(async () =>
        called(serverOf(await readFile(file, "utf8"), "every thing"), "get-env")
      )
      assert.include(told, "FROM_THE_HOST")
      assert.includeMembers(yield* methodsOf(recording), [
        "initialize",
        "notifications/initialized",
        "tools/list",
        "tools/call"
      ])

      const [again, taken] = yield* Parley.runAll(
        ["tap", "--wrap", file],
        ["tap", "--unwrap", link, "--server", "every thing"]
      )
      assert.deepStrictEqual([again?.code, again?.stdout], [0, ""])
      assert.include(again?.stderr, "every thing: it stays as it is: it has a tap already")
      assert.include(again?.stderr, "Nothing is changed.")

      assert.deepStrictEqual([taken?.code, taken?.stdout], [0, "every thing: it is as it was\n"])
      assert.include(taken?.stderr, `every thing: its recording stays: ${recording}`)
      assert.strictEqual(yield* read(file), text)
      const [mode, isLink] = yield* Effect.promise(async () =>
        [(await stat(file)).mode & 0o777, (await lstat(link)).isSymbolicLink()] as const
      )
      assert.deepStrictEqual([mode, isLink], [0o640, true])
      const left = yield* Effect.promise(() => readdir(folder))
      assert.sameMembers(left, [file, link, recording].map((path) => basename(path)))
    }), 60_000)

  it.live("gives a server at a URL its headers, and keeps them out of arguments", () =>
    Effect.gen(function*() {
      const team = McpTool.make("team", {}, (_, call) => Effect.succeed(call.header("x-team") ?? "nobody"))
      const server = yield* McpServer.make({ name: "web", version: "1", features: [team] })
      const { address } = yield* NodeHttp.serve(yield* McpHttp.endpoint(server), { port: 0, path: "/mcp" })
      const { file } = yield* configured({
        mcpServers: { web: { type: "http", url: address, headers: { "X-Team": "s3cret" } } }
      })
      const before = yield* read(file)
      yield* Parley.runScript(Parley.node, [Parley.bin, "tap", "--wrap", file])

      const started = serverOf(yield* read(file), "web")
      assert.notInclude(started.args.join(" "), "s3cret")
      assert.include(yield* Effect.promise(() => called(started, "team")), "s3cret")
      assert.include(yield* methodsOf(`${file}.web.jsonl`), "tools/call")

      yield* Parley.run(["tap", "--unwrap", file])
      assert.strictEqual(yield* read(file), before)
    }), 60_000)

  it.live("reaches a server that has only the older transport, HTTP+SSE", () =>
    Effect.gen(function*() {
      let transport: SSEServerTransport | undefined
      const server = createServer((request, response) => {
        if (request.method === "GET" && request.url === "/sse") {
          transport = new SSEServerTransport("/message", response)
          const old = new OldServer({ name: "old", version: "1" })
          old.registerTool("age", {}, () => ({ content: [{ type: "text", text: "very old" }] }))
          void old.connect(transport)
        } else if (request.method === "POST" && request.url?.startsWith("/message") && transport !== undefined) {
          void transport.handlePostMessage(request, response)
        } else {
          response.writeHead(404).end()
        }
      })
      yield* Effect.acquireRelease(
        Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
        () =>
          Effect.sync(() => {
            server.closeAllConnections()
            server.close()
          })
      )
      // It listens at a port.
      const { port } = server.address() as AddressInfo
      const { file } = yield* configured({ mcpServers: { old: { type: "sse", url: `http://127.0.0.1:${port}/sse` } } })
      yield* Parley.runScript(Parley.node, [Parley.bin, "tap", "--wrap", file])
      const started = serverOf(yield* read(file), "old")
      assert.include(yield* Effect.promise(() => called(started, "age")), "very old")
    }), 60_000)

  it.live("leaves a file as it is that it cannot read, or that names other servers", () =>
    Effect.gen(function*() {
      const { file, folder } = yield* configured(text)
      const bytes = join(folder, "bytes.json")
      yield* Effect.promise(() => writeFile(bytes, Buffer.from(`{"servers":{"a":{"command":"\xff"}}}`, "latin1")))
      const { file: broken } = yield* configured("{\n  \"servers\": {}} }")
      const outcomes = yield* Parley.runAll(
        ["tap", "--wrap", join(folder, "none.json")],
        ["tap", "--wrap", bytes],
        ["tap", "--wrap", broken],
        ["tap", "--wrap", file, "--server", "files"],
        ["tap", "--wrap", file, "--server", "other"],
        ["tap", "--wrap", file, "--unwrap", file],
        ["tap", "--wrap", file, "tcp://127.0.0.1:1"],
        ["tap", "--wrap", file, "--redact", "pin"],
        ["tap", "--server", "x", "tcp://127.0.0.1:1"],
        ["tap"],
        ["tap", "tcp://127.0.0.1:1", "more"]
      )
      const expected = [
        "none.json cannot be read: ",
        "bytes.json cannot be read: ",
        "cannot be changed: line 2, column 18: end of file expected",
        "there is no server \"files\", but every thing, other",
        "other cannot be changed: its URL is not one of http or https",
        "--wrap and --unwrap go with --server alone",
        "--wrap and --unwrap go with --server alone",
        "--wrap and --unwrap go with --server alone",
        "--server belongs to --wrap and --unwrap",
        "the ENDPOINT is missing",
        "\"tcp://127.0.0.1:1\" takes no further words"
      ]
      for (const [index, text] of expected.entries()) {
        assert.deepStrictEqual([outcomes[index]?.code, outcomes[index]?.stdout], [64, ""], text)
        assert.include(outcomes[index]?.stderr, text)
      }
      assert.strictEqual(yield* read(file), text)
      assert.deepStrictEqual((yield* Effect.promise(() => readdir(folder))).toSorted(), ["bytes.json", basename(file)])
    }), 60_000)

  it.live("loses no server where several commands change a file at once", () =>
    Effect.gen(function*() {
      const names = Array.from({ length: 8 }, (_, index) => `s${index}`)
      const { file, folder } = yield* configured({
        mcpServers: Object.fromEntries(names.map((name) => [name, { command: "x" }]))
      })
      const outcomes = yield* Effect.forEach(
        names,
        (name) => Parley.runScript(Parley.node, [Parley.bin, "tap", "--wrap", file, "--server", name]),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(outcomes.map(({ code }) => code), names.map(() => 0))
      const after = yield* read(file)
      assert.deepStrictEqual(names.filter((name) => !serverOf(after, name).args.includes("--wrapped")), [])
      assert.deepStrictEqual(yield* Effect.promise(() => readdir(folder)), [basename(file)])
    }), 60_000)

  it.live("does not wait without an end for another process", () =>
    Effect.gen(function*() {
      const { file } = yield* configured(text)
      const lock = `${file}.parley`
      yield* Effect.promise(() => writeFile(lock, ""))
      const [late] = yield* Parley.runAll(["tap", "--wrap", file])
      assert.deepStrictEqual([late?.code, late?.stdout], [64, ""])
      assert.include(late?.stderr, `${file} is being changed by another process (hint: if none runs, remove ${lock})`)
      assert.strictEqual(yield* read(file), text)
      assert.strictEqual(yield* read(lock), "")
    }), 60_000)

  it.live("takes only a regular file of a usual size, and none that may not be written", () =>
    Effect.gen(function*() {
      const { file, folder } = yield* configured(text)
      const large = join(folder, "large.json")
      yield* Effect.promise(() => writeFile(large, " ".repeat(4 * 1024 * 1024 + 1)))
      yield* Effect.promise(() => chmod(file, 0o444))
      const isRoot = process.getuid?.() === 0
      const outcomes = yield* Parley.runAll(
        ["tap", "--wrap", "/dev/zero"],
        ["tap", "--wrap", large],
        ...isRoot ? [] : [["tap", "--wrap", file]]
      )
      const expected = [
        "/dev/zero cannot be read: it is not a regular file",
        "large.json cannot be read: it has 4194305 bytes, and at most 4194304 are read",
        "cannot be written: "
      ]
      for (const [index, { code, stderr }] of outcomes.entries()) {
        assert.strictEqual(code, 64)
        assert.include(stderr, expected[index]!)
      }
    }), 60_000)

  it.live("leaves a file to its owner", () =>
    Effect.gen(function*() {
      // Only root can give the file away before.
      if (process.getuid?.() !== 0) return
      const { file } = yield* configured(text)
      yield* Effect.promise(() => chown(file, 1234, 2345))
      yield* Parley.run(["tap", "--wrap", file])
      const { gid, uid } = yield* Effect.promise(() => stat(file))
      assert.include(yield* read(file), "--wrapped")
      assert.deepStrictEqual([uid, gid], [1234, 2345])
    }), 60_000)
})
