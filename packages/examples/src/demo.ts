/** `pnpm demo`: peers, servers of our own and of others, two framings, HTTP. Exits with 1 if any step fails. */
import { Effect } from "effect"
import { everything } from "./demo/everything.ts"
import { mcp } from "./demo/mcp.ts"
import { parley } from "./demo/parley.ts"
import { Report } from "./demo/Report.ts"
import { typescript } from "./demo/typescript.ts"

const report = new Report()

await Effect.runPromise(Effect.gen(function*() {
  yield* report.section("parley serve", parley(report))
  yield* report.section("MCP server-everything", everything(report))
  yield* report.section("MCP, both eras", mcp(report))
  yield* report.section("typescript-language-server", typescript(report))
}))

const failed = report.rows.filter(({ passed }) => !passed).length
console.log(`\n${report.table()}`)
console.log(`\n${report.rows.length - failed} passed, ${failed} failed`)
if (failed > 0) process.exitCode = 1
