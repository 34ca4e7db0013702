import { assert, describe, it } from "@effect/vitest"
import { NodeChildProcess, NodeHttp } from "@parley/node"
import { Effect } from "effect"
import * as HostConfig from "../../src/host/HostConfig.ts"
import * as McpHttp from "../../src/McpHttp.ts"
import * as McpServer from "../../src/McpServer.ts"
import * as McpTool from "../../src/McpTool.ts"

const me = { name: "me", version: "1" }

const served = Effect.gen(function*() {
  const server = yield* McpServer.make({
    name: "web",
    version: "1",
    features: [McpTool.make("who", {}, (_, call) => Effect.succeed(call.header("x-team") ?? "nobody"))]
  })
  const { address } = yield* NodeHttp.serve(yield* McpHttp.endpoint(server), { port: 0, path: "/mcp" })
  return address
})

const ways = Effect.map(NodeHttp.makeFetcher(), (fetcher) => ({
  start: (command: HostConfig.CommandServer) => NodeChildProcess.makeTransport(command),
  fetcher,
  variables: { NODE: process.execPath, TEAM: "search" }
}))

/** A server that refuses each request. */
const refusing = `require("node:readline").createInterface({ input: process.stdin }).on("line", (line) =>
  console.log(JSON.stringify({ jsonrpc: "2.0", id: JSON.parse(line).id, error: { code: -32603, message: "no" } })))`

const names = (tools: ReadonlyArray<{ readonly name: string }>) => tools.map(({ name }) => name)

describe("the configuration of a host", () => {
  it.live("names servers that are started or requested, and one that is not there keeps nobody from the others", () =>
    Effect.gen(function*() {
      const all = yield* ways
      const open: Record<string, number> = {}
      const counted = (command: HostConfig.CommandServer, name: string) =>
        Effect.andThen(
          Effect.acquireRelease(
            Effect.sync(() => open[name] = (open[name] ?? 0) + 1),
            () => Effect.sync(() => open[name] = (open[name] ?? 0) - 1)
          ),
          all.start(command)
        )
      const found = yield* HostConfig.servers({
        mcpServers: {
          everything: { command: "${NODE}", args: ["test/host/echo.ts"], cwd: "packages/mcp", type: "stdio" },
          web: { type: "http", url: yield* served, headers: { "X-Team": "${env:TEAM}" } },
          off: { command: "nothing", disabled: true },
          gone: { command: "/there/is/no/such/program" },
          wrong: { command: "${NODE}", args: ["-e", refusing] }
        }
      }, { ...all, start: counted })
      assert.deepStrictEqual(Object.keys(found), ["everything", "web", "gone", "wrong"])
      const { clients, failures } = yield* HostConfig.connect(found, me)
      assert.deepStrictEqual([Object.keys(clients), Object.keys(failures)], [["everything", "web"], ["gone", "wrong"]])
      assert.deepStrictEqual(open, { everything: 1, gone: 0, wrong: 0 })
      const { everything, web } = clients
      assert.isDefined(everything)
      assert.isDefined(web)
      assert.deepStrictEqual(names(yield* everything.listTools()), ["echo"])
      assert.deepStrictEqual((yield* web.callTool("who")).content, [{ type: "text", text: "search" }])
    }))

  it.effect("says all that is wrong with it, with its place", () =>
    Effect.gen(function*() {
      const { message } = yield* Effect.flip(HostConfig.servers({
        servers: {
          both: { command: "a", url: "https://b" },
          none: {},
          wrong: { command: 1, args: ["a", 2] },
          place: { url: "ftp://b" },
          secret: { url: "https://b", headers: { authorization: "Bearer ${SECRET}" } },
          asked: { url: "https://b", headers: { authorization: "Bearer ${input:key}" } },
          otherwise: { url: "${PLACE:-HTTPS://b}" }
        }
      }, yield* ways))
      assert.deepStrictEqual(message.split(": ").slice(1).join(": ").split("; "), [
        "both: Expected either a command or a url",
        "none: Expected either a command or a url",
        "wrong.command: Expected string",
        "wrong.args.1: Expected string",
        "place.url: Expected a URL of http or https",
        "secret.headers.authorization: the variable SECRET is not set",
        "asked.headers.authorization: the input key is one that only a host asks for"
      ])
    }))

  it.effect("is no configuration, or names what cannot be reached here", () =>
    Effect.gen(function*() {
      for (const config of [null, [], "a", { mcpServers: [] }]) {
        const { message } = yield* Effect.flip(HostConfig.servers(config, {}))
        assert.include(message, "Expected an object with a member for each server")
      }
      const { issues } = yield* Effect.flip(
        HostConfig.servers({ mcpServers: { a: { command: "a" }, b: { url: "https://b" } } }, {})
      )
      assert.deepStrictEqual(issues, [
        { path: ["a", "command"], message: "Commands cannot be started here" },
        { path: ["b", "url"], message: "URLs cannot be requested here" }
      ])
    }))
})
