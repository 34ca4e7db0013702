/**
 * Prints what conform finds in servers of others as a table for the documentation, with the date and the versions:
 * `node packages/conform/test/foreign/table.ts [WORD]`. A word chooses the servers that have it in their names.
 */
import { Conform } from "@parley/conform"
import { Effect } from "effect"
import { servers } from "./Foreign.ts"

const [word = ""] = process.argv.slice(2)

const row = ({ name, target, version }: (typeof servers)[number]) =>
  Effect.gen(function*() {
    const { protocol, results } = yield* Conform.run(yield* target, { timeout: "10 seconds" })
    const count = (verdict: string) => results.filter((result) => result.verdict === verdict).length
    const failed = results.filter(({ verdict }) => verdict === "fail").map(({ id }) => `\`${id}\``)
    const spoken = protocol.replace(/ by .*$/, "")
    const cells = [
      name,
      version(),
      spoken,
      count("pass"),
      count("warning"),
      failed.length === 0 ? "none" : failed.join(", ")
    ]
    return `| ${cells.join(" | ")} |`
  }).pipe(
    Effect.scoped,
    Effect.catchCause(() => Effect.succeed(`| ${name} | | | | | it could not be started |`))
  )

const rows = await Effect.runPromise(Effect.forEach(servers.filter(({ name }) => name.includes(word)), row))

console.log([
  `Made on ${new Date().toISOString().slice(0, 10)} by \`node packages/conform/test/foreign/table.ts\`.`,
  "",
  "| Server, wire | Version | Speaks | Rules that hold | Warnings | Failures |",
  "| --- | --- | --- | --- | --- | --- |",
  ...rows
].join("\n"))
process.exit(0)
