/** A project beside a checkout, with the packages that `pnpm packed` gives it, as README.md says. */
import { assert, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const root = join(import.meta.dirname, "../../..")

const program = `import { McpMemoryClient, McpServer, McpTool } from "@parley/mcp"
import { NodeStdio } from "@parley/node"
import { Effect } from "effect"

const now = McpTool.make("now", {}, () => Effect.succeed("noon"))
await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
  const server = yield* McpServer.make({ name: "clock", version: "1.0.0", features: [now] })
  const client = yield* Effect.provideService(
    McpMemoryClient.make({ name: "me", version: "1.0.0" }),
    McpServer.McpServer,
    server
  )
  console.log((yield* client.callTool("now")).content[0].text, typeof NodeStdio.layerTransport)
})))
`

it("a project with the printed lines installs, and runs", { timeout: 240_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), "parley-packed-"))
  try {
    const packages = join(folder, "packages")
    const printed = execFileSync(process.execPath, ["tools/pack/packed.ts", packages], { cwd: root, encoding: "utf8" })
    const lines = JSON.parse(printed.slice(printed.indexOf("{"), printed.lastIndexOf("}") + 1))
    assert.lengthOf(readdirSync(packages), Object.keys(lines.overrides).length)
    const imported = ["effect", "@effect/platform-node", "@parley/mcp", "@parley/node"]
    const dependencies = Object.fromEntries(imported.map((name) => [name, lines.dependencies[name]]))
    writeFileSync(join(folder, "package.json"), JSON.stringify({ ...lines, dependencies }))
    writeFileSync(join(folder, "clock.js"), program)
    execFileSync("npm", ["install", "--no-audit", "--no-fund"], { cwd: folder, stdio: "ignore" })
    const shown = execFileSync(process.execPath, ["clock.js"], { cwd: folder, encoding: "utf8" })
    assert.strictEqual(shown, "noon function\n")
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
