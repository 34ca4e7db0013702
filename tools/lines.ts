/** `pnpm lines [PACKAGE…]` prints how many lines of code each package has, and each of its folders. */
import { join } from "node:path"
import { codeLinesOf } from "./architecture/lines.ts"
import { readSources } from "./architecture/Sources.ts"

const chosen = process.argv.slice(2)
const counts = new Map<string, Map<string, number>>()
for (const [path, text] of readSources(join(import.meta.dirname, "..")).files) {
  const match = /^packages\/([^/]+)\/src\/(?:(.*)\/)?[^/]+$/.exec(path)
  if (match === null || (chosen.length > 0 && !chosen.includes(match[1]!))) continue
  const folders = counts.get(match[1]!) ?? new Map<string, number>()
  counts.set(match[1]!, folders)
  const folder = match[2] ?? "."
  folders.set(folder, (folders.get(folder) ?? 0) + codeLinesOf(text))
}

const row = (lines: number, name: string): void => console.log(`${String(lines).padStart(6)}  ${name}`)
const sum = (lines: Iterable<number>): number => [...lines].reduce((total, count) => total + count, 0)
for (const [name, folders] of counts) {
  row(sum(folders.values()), name)
  for (const [folder, lines] of [...folders].toSorted()) row(lines, `  ${folder}`)
}
row(sum(Array.from(counts.values(), (folders) => sum(folders.values()))), "all")
