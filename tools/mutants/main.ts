/**
 * `pnpm mutants [WORD…]` runs the mutants whose name or file contains one of the words, or all of them.
 */
import { join } from "node:path"
import { parseArgs } from "node:util"
import { load, problems } from "./Mutant.ts"
import { run } from "./run.ts"

const root = join(import.meta.dirname, "../..")
const { positionals: words } = parseArgs({ allowPositionals: true })
const all = await load(root)
const chosen = all.filter(({ file, name }) =>
  words.length === 0 || words.some((word) => name.includes(word) || file.includes(word))
)

const wrong = problems(root, all)
for (const problem of wrong) console.log(`BROKEN  ${problem}`)

const verdicts = wrong.length > 0 || chosen.length === 0
  ? []
  : await run(root, chosen)
const width = Math.max(0, ...verdicts.map(({ mutant }) => mutant.name.length))
const lines = verdicts.map(({ detail, milliseconds, mutant, outcome }) => {
  const word = outcome === "red" ? "red   " : outcome.toUpperCase().padEnd(6)
  const bad = outcome === "red" ? "" : `  ${detail} (${mutant.file})`
  return `${word}  ${mutant.name.padEnd(width)}  promise ${mutant.promise}  ${milliseconds} ms${bad}`
})
// Those to mend stand at the end, where whoever ran this looks, and where the summary of the checks finds them.
lines.sort((one, other) => Number(other.startsWith("red ")) - Number(one.startsWith("red ")))

const passed = verdicts.filter(({ outcome }) => outcome === "red").length
const failed = wrong.length + verdicts.length - passed
if (chosen.length === 0) lines.push(`no mutant is called ${words.join(" or ")}`)
lines.push(`${passed} passed, ${failed} failed`, "")
// Said aloud, because a mutant that loops for ever holds a thread; and only when everything is written.
process.stdout.write(lines.join("\n"), () => process.exit(failed === 0 && passed > 0 ? 0 : 1))
