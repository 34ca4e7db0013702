/**
 * Puts the corpus to every library, and writes `results/corpus.json` and the page that compares:
 * `node packages/bench/src/corpus/main.ts [LIBRARY…]`. With libraries it prints the wrong answers of these instead.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as comparison from "../comparison/page.ts"
import { type Scores, scoresOf } from "./results.ts"
import { servers } from "./servers.ts"

const asked = process.argv.slice(2)
const all: Record<string, Scores> = {}

for (const [name, make] of Object.entries(servers)) {
  if (asked.length > 0 && !asked.includes(name)) continue
  const server = await make()
  all[name] = await scoresOf(
    server,
    asked.length > 0 ? (name, answer) => console.log(`${name}: ${answer?.slice(0, 200) ?? "nothing"}`) : undefined
  )
  server.close()
  console.log(name, JSON.stringify(all[name]))
}

if (asked.length === 0) {
  writeFileSync(
    join(import.meta.dirname, "../../results/corpus.json"),
    `${
      JSON.stringify(
        { node: process.version, date: new Date().toISOString().slice(0, 10), libraries: all },
        undefined,
        2
      )
    }\n`
  )
  comparison.write()
}
process.exit()
