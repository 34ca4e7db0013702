/** `pnpm demo`: calls real servers over stdio and HTTP, and prints each step. Exits with 1 if a step fails. */
import { Effect } from "effect"
import { parseArgs } from "node:util"
import { everything } from "./demo/everything.ts"
import { mcp } from "./demo/mcp.ts"
import { parley } from "./demo/parley.ts"
import { Report } from "./demo/Report.ts"
import { typescript } from "./demo/typescript.ts"

const { values } = parseArgs({
  // `pnpm demo -- --help` passes the `--` on.
  args: process.argv.slice(2).filter((arg) => arg !== "--"),
  options: { help: { type: "boolean", short: "h", default: false } }
})
if (values.help) {
  console.log(`Usage: pnpm demo

Calls real servers over stdio and HTTP, and prints each step: its name, how long it took, and its result. The exit code is
1 if a step fails.

  -h, --help    Print this, and call nothing`)
  process.exit()
}

console.log("Parley calls four servers. Each row is a step: its name, how long it took, and its result.")

const report = new Report()

await Effect.runPromise(Effect.gen(function*() {
  yield* report.section("JSON-RPC with a child process: parley serve", parley(report))
  yield* report.section("MCP by hand: the reference server, server-everything", everything(report))
  yield* report.section("MCP with the typed client: a server at a URL, and one behind stdio", mcp(report))
  yield* report.section("LSP with Content-Length framing: typescript-language-server", typescript(report))
}))

console.log(`\n${report.summary()}`)
if (report.rows.some(({ passed }) => !passed)) process.exitCode = 1
