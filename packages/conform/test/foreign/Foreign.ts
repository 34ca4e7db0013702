/** Servers that others have written, or made with libraries of others, as targets. */
import { assert } from "@effect/vitest"
import type { Target } from "@parley/conform"
import { NodeTcp, NodeWebSocket } from "@parley/node"
import { Framing } from "@parley/protocol"
import { Effect, type Scope } from "effect"
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Needed } from "../../../../tools/debian/Programs.ts"
import * as Started from "../specimens/Started.ts"

/** A server. */
export interface Server {
  /** The name of a package or program, and the wire. */
  readonly name: string
  readonly version: () => string
  readonly protocol: "MCP" | "JSON-RPC"
  /** The packages of Debian that it is made of. */
  readonly needs: ReadonlyArray<Needed>
  readonly target: Effect.Effect<Target.Target, never, Scope.Scope>
}

const here = (name: string): string => join(import.meta.dirname, "programs", name)

const versionOf = (name: string) => (): string => {
  const path = join(import.meta.dirname, "../../node_modules", name, "package.json")
  const { version }: { readonly version: string } = JSON.parse(readFileSync(path, "utf8"))
  return version
}

const said = (command: string, args: ReadonlyArray<string>, pattern: RegExp) => (): string => {
  const { stdout } = spawnSync(command, args, { encoding: "utf8" })
  return pattern.exec(stdout)?.[0] ?? assert.fail(`${command} tells no version: ${stdout}`)
}

/** Makes a program that knows no port 0 listen at one of this machine, and print where that is. */
const listening = `data:text/javascript,${
  encodeURIComponent(`
    import { Server } from "node:net"
    import { writeSync } from "node:fs"
    const { listen } = Server.prototype
    Server.prototype.listen = function(_, ...more) {
      this.once("listening", () => writeSync(1, "http://127.0.0.1:" + this.address().port + "/mcp\\n"))
      return listen.call(this, 0, "127.0.0.1", more.find((one) => typeof one === "function"))
    }
    console.log = console.error
  `)
}`

/** A folder that is deleted with the Scope. */
const folder = Effect.acquireRelease(
  Effect.sync(() => {
    const path = realpathSync(mkdtempSync(join(tmpdir(), "parley-")))
    writeFileSync(join(path, "hello.txt"), "hello\n")
    return path
  }),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

const node = (file: string, ...args: ReadonlyArray<string>): Started.Command => [process.execPath, file, ...args]

const published = (name: string): string =>
  join(import.meta.dirname, "../../node_modules/@modelcontextprotocol", name, "dist/index.js")

/** The target of a URL that a program has printed. */
const reached = (url: string): Effect.Effect<Target.Target, never, Scope.Scope> => {
  const { port, protocol } = new URL(url)
  if (protocol === "http:") return Started.posted(url)
  if (protocol === "ws:") {
    return Effect.succeed({
      _tag: "Duplex",
      name: url,
      connect: NodeWebSocket.makeTransport({ url }),
      isProcess: false
    })
  }
  const connect = (framing: Framing.Framing) => NodeTcp.makeTransport({ port: Number(port), framing })
  return Effect.succeed({ _tag: "Duplex", name: url, connect: connect(Framing.line), isProcess: false })
}

const printed = (...command: Started.Command) => Effect.flatMap(Started.printed(command), reached)

const mcp = (
  name: string,
  version: () => string,
  target: Server["target"]
): Server => ({ name, version, protocol: "MCP", needs: [], target })

const jsonRpc = (
  name: string,
  version: () => string,
  target: Server["target"],
  needs: Server["needs"] = []
): Server => ({ name, version, protocol: "JSON-RPC", needs, target })

/** A server of ours that is made with a library, over both wires of MCP. */
const both = (name: string, library: string, file: string, ...flags: ReadonlyArray<string>): ReadonlyArray<Server> => [
  mcp(`${name}, stdio`, versionOf(library), Effect.succeed(Started.stdio(node(here(file))))),
  mcp(`${name}, HTTP`, versionOf(library), printed(process.execPath, ...flags, here(file), "--http"))
]

const official = "@modelcontextprotocol"

const anvil = (): string => {
  const examples = createRequire(import.meta.resolve("@foundry-rs/anvil/package.json"))
  const { arch, platform } = process
  return examples.resolve(`@foundry-rs/anvil-${platform}-${arch === "x64" ? "amd64" : arch}/bin/anvil`)
}

const golang: Needed = { program: "go", package: "golang-go", asked: "version" }
/** The Python of Debian: another one that comes first in the PATH has not its packages. */
const python = "/usr/bin/python3"
const debian = (name: string) => said("dpkg-query", ["--show", "--showformat=${Version}", name], /\S+/)
const module = (name: string, title: string): Needed => ({
  program: python,
  package: title,
  asked: `-cimport ${name}`
})

export const servers: ReadonlyArray<Server> = [
  mcp(
    "server-everything, stdio",
    versionOf(`${official}/server-everything`),
    Effect.succeed(Started.stdio(node(published("server-everything"))))
  ),
  mcp(
    "server-everything, HTTP",
    versionOf(`${official}/server-everything`),
    printed(process.execPath, "--import", listening, published("server-everything"), "streamableHttp")
  ),
  mcp(
    "server-filesystem, stdio",
    versionOf(`${official}/server-filesystem`),
    Effect.map(folder, (path) => Started.stdio(node(published("server-filesystem"), path)))
  ),
  mcp(
    "server-memory, stdio",
    versionOf(`${official}/server-memory`),
    Effect.map(
      folder,
      (path) =>
        Started.stdio(node(published("server-memory")), { env: { MEMORY_FILE_PATH: join(path, "memory.jsonl") } })
    )
  ),
  ...both("@modelcontextprotocol/sdk", `${official}/sdk`, "sdkV1.ts"),
  ...both("@modelcontextprotocol/server", `${official}/server`, "sdkV2.ts"),
  ...both("fastmcp", "fastmcp", "fastmcp.ts", "--import", listening),
  ...both("tmcp", "tmcp", "tmcp.ts"),
  ...both("effect/ai", "effect", "effectAi.ts"),
  jsonRpc("jayson, HTTP", versionOf("jayson"), printed(...node(here("jayson.ts")))),
  jsonRpc("json-rpc-2.0, HTTP", versionOf("json-rpc-2.0"), printed(...node(here("jsonRpc2.ts")))),
  jsonRpc("json-rpc-2.0, TCP", versionOf("json-rpc-2.0"), printed(...node(here("jsonRpc2.ts"), "--tcp"))),
  jsonRpc(
    "vscode-jsonrpc, stdio",
    versionOf("vscode-jsonrpc"),
    Effect.succeed(Started.stdio(node(here("vscodeJsonrpc.ts")), { framing: "contentLength" }))
  ),
  jsonRpc("rpc-websockets, WebSocket", versionOf("rpc-websockets"), printed(...node(here("rpcWebsockets.ts")))),
  jsonRpc("effect/rpc, HTTP", versionOf("effect"), printed(...node(here("effectRpc.ts")))),
  jsonRpc("effect/rpc, TCP", versionOf("effect"), printed(...node(here("effectRpc.ts"), "--tcp"))),
  jsonRpc(
    "anvil, HTTP",
    versionOf("@foundry-rs/anvil"),
    Effect.flatMap(
      Started.printed([anvil(), "--port", "0", "--host", "127.0.0.1", "--accounts", "1"], {
        find: /^Listening on (\S+)$/
      }),
      (authority) => Started.posted(`http://${authority}/`)
    )
  ),
  jsonRpc(
    "Go, HTTP",
    said("go", ["version"], /\d+(\.\d+)+/),
    Effect.flatMap(folder, (path) => {
      const program = join(path, "server")
      const { status, stderr } = spawnSync("go", ["build", "-o", program, here("server.go")], {
        env: { ...process.env, GO111MODULE: "off", GOFLAGS: "" },
        encoding: "utf8"
      })
      assert.strictEqual(status, 0, stderr)
      return printed(program)
    }),
    [golang]
  ),
  jsonRpc(
    "python-lsp-jsonrpc, stdio",
    debian("python3-pylsp-jsonrpc"),
    Effect.succeed(Started.stdio([python, here("pylsp.py")], { framing: "contentLength" })),
    [module("pylsp_jsonrpc", "python3-pylsp-jsonrpc")]
  ),
  jsonRpc(
    "jsonrpclib-pelix, HTTP",
    debian("python3-jsonrpclib-pelix"),
    printed(python, here("pelix.py")),
    [module("jsonrpclib", "python3-jsonrpclib-pelix")]
  )
]
