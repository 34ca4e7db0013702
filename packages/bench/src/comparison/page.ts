/**
 * The tables of docs/explanation/comparison.md, each below a comment with its name.
 * `node packages/bench/src/comparison/page.ts` writes them anew; then run `dprint fmt`.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Results } from "../results.ts"
import { conformance, type Corpus, mcpSpeed, pages, sessions, sizes, speed, type Table } from "./tables.ts"

const root = join(import.meta.dirname, "../../../..")
const read = (path: string): string => readFileSync(join(root, path), "utf8")

export const path = "docs/explanation/comparison.md"

// Both files are written by this package.
const results = (): Results => JSON.parse(read("packages/bench/results/latest.json")) as Results
const corpus = (): Corpus => JSON.parse(read("packages/bench/results/corpus.json")) as Corpus

/** By the name of its comment. */
export const tables = (): Readonly<Record<string, Table>> => {
  const programs = Object.entries(pages).map(([library, page]) => [library, read(`docs/migration/${page}.md`)])
  return {
    conformance: conformance(corpus()),
    "64 in flight": speed(results(), 64),
    "1 in flight": speed(results(), 1),
    "speed of MCP": mcpSpeed(results()),
    "sessions of MCP": sessions(results()),
    sizes: sizes(Object.fromEntries(programs))
  }
}

/** The days of the results, as parts were measured later than the rest. */
const stored = (): string => {
  const { date, rows } = results()
  return [...new Set([date, ...rows.flatMap((row) => row.date ?? [])])].toSorted().join(" and ")
}

/** The sentences that name days, without their full stops. */
export const days = (): ReadonlyArray<string> => [
  `stored on ${stored()}`,
  `The results are of ${corpus().date}`
]

const below = (name: string): RegExp => new RegExp(`(<!-- ${name} -->\\n\\n)((?:\\|.*\\n)+)`)

/** The table below the comment of this name, its cells without what aligns them. */
export const tableIn = (page: string, name: string): Table =>
  (below(name).exec(page)?.[2] ?? "").trim().split("\n").filter((_, index) => index !== 1).map((line) =>
    line.split("|").slice(1, -1).map((cell) => cell.trim())
  )

const toMarkdown = ([head = [], ...rows]: Table): string =>
  [head, head.map((_, index) => index === 0 ? "---" : "--:"), ...rows].map((cells) => `| ${cells.join(" | ")} |\n`)
    .join(
      ""
    )

export const write = (): void => {
  const withTables = Object.entries(tables()).reduce(
    (page, [name, table]) => page.replace(below(name), (_, comment: string) => comment + toMarkdown(table)),
    read(path)
  )
  const page = days().reduce(
    (page, sentence) =>
      page.replace(new RegExp(sentence.replace(/[\d-]+(?: and [\d-]+)*$/, "[\\d-]+(?: and [\\d-]+)*")), sentence),
    withTables
  )
  writeFileSync(join(root, path), page)
}

if (import.meta.main) write()
