/** The files of hosts in docs/how-to/mcp-connect-a-host.md: each is read, and its servers are started as a host starts them. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { HostConfig, type McpClient, McpHttp, McpServer, McpTool } from "@parley/mcp"
import { NodeChildProcess, NodeHttp } from "@parley/node"
import { Effect, Exit, Schema, Scope } from "effect"
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fencesOf } from "../../docs/Fence.ts"

const root = join(import.meta.dirname, "../../..")
const path = "docs/how-to/mcp-connect-a-host.md"
const text = readFileSync(join(root, path), "utf8")

/** The JSON below each heading of a host. */
const files = text.split(/^## /m).slice(1).flatMap((section) => {
  const [heading = ""] = section.split("\n", 1)
  return fencesOf(path, section).filter(({ language }) => language === "json").map(({ code }) => ({ heading, code }))
})

const scope = Scope.makeUnsafe()
let url = ""

beforeAll(async () => {
  url = await Effect.runPromise(Scope.provide(
    Effect.gen(function*() {
      const greet = McpTool.make("greet", { params: { name: Schema.String } }, ({ name }) => Effect.succeed(name))
      const server = yield* McpServer.make({ name: "mine", version: "1", features: [greet] })
      const { address } = yield* NodeHttp.serve(yield* McpHttp.endpoint(server), { port: 0, path: "/mcp" })
      return address
    }),
    scope
  ))
})

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await Effect.runPromise(Scope.close(scope, Exit.void))
})

/** The folder of the reader, in which the packages are at hand. */
const folder = mkdtempSync(join(root, ".tmp-hosts-"))

/** The server of the tutorial that the page names. */
const tutorial = "docs/tutorial/first-mcp-server.md"
const stdio = fencesOf(tutorial, readFileSync(join(root, tutorial), "utf8")).find(({ file }) => file === "stdio.ts")

const server = join(folder, "stdio.ts")
const servers = join(folder, "servers.json")
writeFileSync(server, stdio?.code ?? "")
writeFileSync(servers, JSON.stringify({ mcpServers: { mine: { command: process.execPath, args: [server] } } }))

/** A file of the page, with the paths and the URL of this machine. */
const here = (code: string): string =>
  code
    .replaceAll("/home/ada/mcp-server/stdio.ts", server)
    .replaceAll("/home/ada/servers.json", servers)
    .replaceAll(/http:\/\/127\.0\.0\.1:4000\/mcp|https:\/\/example\.org\/mcp/g, url)
    .replace(
      `"command": "npx", "args": ["-y", "@parley/cli",`,
      `"command": "node", "args": ["packages/cli/src/bin.ts",`
    )
    .replaceAll(`"command": "node"`, `"command": ${JSON.stringify(process.execPath)}`)

/** Starts the servers of a file as a host does, and asks each for its tools. */
const tried = Effect.fnUntraced(function*(file: string) {
  const servers = yield* HostConfig.servers(JSON.parse(file), {
    start: (command) => NodeChildProcess.makeTransport(command),
    fetcher: yield* NodeHttp.makeFetcher()
  })
  const { clients, failures } = yield* HostConfig.connect(servers, { name: "host", version: "1" })
  assert.deepStrictEqual(failures, {})
  // A gateway lists a server when it is reached.
  const listed = (client: McpClient.McpClient) =>
    Effect.repeat(Effect.delay(client.listTools(), "100 millis"), { until: (tools) => tools.length > 0 })
  for (const client of Object.values(clients)) {
    const names = (yield* listed(client)).map(({ name }) => name)
    assert.isTrue(names.every((name) => /^(mine_)?greet$/.test(name)), names.join())
  }
})

const parley = (...args: ReadonlyArray<string>) =>
  execFileSync(process.execPath, ["packages/cli/src/bin.ts", ...args], { cwd: root, stdio: "pipe" })

describe("the page for hosts", () => {
  it("has a file for each", () => {
    assert.deepStrictEqual(files.map(({ heading }) => heading), [
      "Claude Desktop",
      "Claude Code",
      "Cursor",
      "VS Code",
      "Windsurf",
      "Zed",
      "A server somewhere else",
      "Several servers as one"
    ])
  })

  it.live.each(files)("names servers that start and answer: $heading", ({ code }) => tried(here(code)))

  it.live.each(files)(
    "names servers that answer through a tap, too: $heading",
    ({ code, heading }) =>
      Effect.gen(function*() {
        const file = join(folder, `${heading}.json`)
        writeFileSync(file, here(code))
        parley("tap", "--wrap", file)
        const tapped = readFileSync(file, "utf8")
        assert.strictEqual(
          tapped.split("--wrapped").length,
          here(code).match(/"(?:command|url|serverUrl)"/g)!.length + 1
        )
        yield* tried(tapped)
        parley("tap", "--unwrap", file)
        assert.strictEqual(readFileSync(file, "utf8"), here(code))
      })
  )
})
