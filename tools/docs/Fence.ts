/**
 * The code blocks of the documentation: fences in Markdown files, and in the JSDoc comments of the packages' sources.
 *
 * - `ts`: a module that compiles by itself
 * - `ts run`: and that Node runs to exit code 0; if it has comments `// => text`, they are the lines it prints, in order
 * - `ts NAME.ts`: and that other blocks of its page import as `./NAME.ts`
 * - `bash`: a command, collected for those who ask
 */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"

export interface Fence {
  /** The file, from the root. */
  readonly path: string
  /** The line of the opening fence, from 1. */
  readonly line: number
  readonly language: string
  readonly run: boolean
  /** The name under which the page has its reader save it. */
  readonly file?: string
  readonly code: string
}

const pages = [
  "README.md",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "docs/**/*.md",
  "packages/*/{README,AGENTS}.md",
  "packages/*/skills/*/SKILL.md"
]

export const collect = (root: string): ReadonlyArray<Fence> => {
  const find = (patterns: Array<string>) => globSync(patterns, { cwd: root }).toSorted()
  const read = (path: string) => readFileSync(join(root, path), "utf8")
  return [
    ...find(pages).flatMap((path) => fencesOf(path, read(path))),
    ...find(["packages/*/src/**/*.ts"]).flatMap((path) => fencesOf(path, commentsOf(read(path))))
  ]
}

/** The text of the JSDoc comments, every line at its place. */
export const commentsOf = (source: string): string => {
  let inside = false
  return source.split("\n").map((line) => {
    inside ||= line.trimStart().startsWith("/**")
    const text = inside ? line.replace(/^\s*(\/\*\*|\*(?!\/))? ?/, "") : ""
    if (line.includes("*/")) inside = false
    return text
  }).join("\n")
}

export const fencesOf = (path: string, text: string): ReadonlyArray<Fence> => {
  const fences: Array<Fence> = []
  const lines = text.split("\n")
  for (let index = 0; index < lines.length; index++) {
    const open = /^(\s*)(`{3,})(.*)$/.exec(lines[index]!)
    if (open === null) continue
    const line = index + 1
    const indent = open[1]!.length
    const code: Array<string> = []
    while (++index < lines.length && lines[index]!.trim() !== open[2]) {
      code.push(lines[index]!.slice(0, indent).trim() + lines[index]!.slice(indent))
    }
    if (index === lines.length) throw new Error(`${path}:${line} opens a code block that nothing closes`)
    const [language = "", ...words] = open[3]!.trim().split(/\s+/)
    if (/^(typescript|tsx|javascript|jsx?|mjs)$/.test(language)) {
      throw new Error(`${path}:${line} is ${language}, which nothing checks: write ts`)
    }
    const file = words.find((word) => /^[\w-]+\.(?:ts|json)$/.test(word))
    if (language === "ts" && words.some((word) => word !== "run" && word !== file)) {
      throw new Error(`${path}:${line} says "${words.join(" ")}": ts knows only the word run, and the name of a file`)
    }
    if (file !== undefined && fences.some((fence) => fence.file === file)) {
      throw new Error(`${path}:${line} is the second block that is named ${file}`)
    }
    const named = file === undefined ? {} : { file }
    fences.push({ path, line, language, run: words.includes("run"), ...named, code: code.join("\n") })
  }
  return fences
}

/** What the block says it prints. */
export const printedBy = (fence: Fence): ReadonlyArray<string> =>
  Array.from(fence.code.matchAll(/\/\/ => (.*)$/gm), (match) => match[1]!.trimEnd())
