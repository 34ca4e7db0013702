/**
 * The comments that the API reference is made of: each public module shows its use, and each export says what it is.
 *
 * The sources are formatted, so a comment ends on a line before its declaration, and an export begins its line.
 */
import { dirname, join } from "node:path/posix"
import { commentsOf, fencesOf } from "../docs/Fence.ts"
import type { Sources } from "./Sources.ts"
import { isPublic, placeOf } from "./Sources.ts"

/** Each gap is one sentence that names the file. Private packages and what is `@internal` have none. */
export function* docstrings(sources: Sources): Generator<string> {
  for (const [path, text] of sources.files) {
    const place = placeOf(path)
    if (place?.kind !== "src" || !isPublic(place.module)) continue
    if (sources.manifests.get(place.package)?.private === true) continue
    const exports = [...exportsOf(text), ...publishedBy(path, text, sources)]
    if (exports.length === 0) continue
    if (!hasExample(text, place.package, place.module)) {
      yield `${path} has no example: a comment with a \`ts\` block that imports the module and uses it`
    }
    for (const { comment, name } of exports) {
      const twins = exports.filter((other) => other.name === name)
      if (!twins.some((twin) => hasSentence(twin.comment))) {
        yield `${path}: ${name} has no sentence that says what it is`
      }
      for (const tag of ["@category", "@since"]) if (!comment.includes(tag)) yield `${path}: ${name} has no ${tag}`
    }
    for (const { comment, name } of optionsOf(text)) {
      if (!hasSentence(comment)) yield `${path}: the option ${name} has no sentence that says what it is`
    }
  }
}

interface Documented {
  readonly name: string
  /** The text of the comment, empty where there is none. */
  readonly comment: string
}

const exported = /^export (?:declare |abstract |async )*(?:const|function\*?|class|interface|type|enum|namespace) (\w+)/

/**
 * The exports of a module. Of the signatures of one function, the first is documented. A Schema and its type have one
 * name, and one of them has the sentence.
 */
const exportsOf = (text: string): ReadonlyArray<Documented> => {
  const lines = text.split("\n")
  return lines.flatMap((line, index) => {
    const name = exported.exec(line)?.[1]
    const isOverload = line.startsWith("export function") &&
      lines.slice(0, index).some((before) =>
        before.startsWith(`export function ${name}(`) || before.startsWith(`export function ${name}<`)
      )
    if (name === undefined || isOverload) return []
    const comment = commentAbove(lines, index)
    return comment.includes("@internal") ? [] : [{ name, comment }]
  })
}

/** The exports of internal modules that a module exports, too. */
const publishedBy = (path: string, text: string, { files }: Sources): ReadonlyArray<Documented> =>
  Array.from(text.matchAll(/^export (?:type )?(?:\*|\{([^}]*)\}) from "(\.\S*\/internal\/[^"]+)"/gm)).flatMap(
    ([, names, target = ""]) => {
      const published = names?.split(",").map((name) => name.trim().replace(/^type /, "").split(" ")[0])
      const all = exportsOf(files.get(join(dirname(path), target)) ?? "")
      return published === undefined ? all : all.filter(({ name }) => published.includes(name))
    }
  )

/** The members of the exported interfaces that are called `Options`, or end so. A head may take several lines. */
const optionsOf = (text: string): ReadonlyArray<Documented> => {
  const lines = text.split("\n")
  let owner: string | undefined
  let indent = ""
  let isOpen = false
  return lines.flatMap((line, index) => {
    const head = /^( *)export interface (\w*Options)\b/.exec(line)
    if (head !== null) {
      indent = head[1]!
      owner = commentAbove(lines, index).includes("@internal") ? undefined : head[2]!
      isOpen = false
    }
    if (owner === undefined) return []
    if (!isOpen) {
      if (line.endsWith("{}")) owner = undefined
      isOpen = line.endsWith("{")
    } else if (line === `${indent}}`) owner = undefined
    else {
      const name = new RegExp(`^${indent}  (?:readonly )?(\\w+)\\??[:(<]`).exec(line)?.[1]
      if (name !== undefined) return [{ name: `${owner}.${name}`, comment: commentAbove(lines, index) }]
    }
    return []
  })
}

/** The JSDoc comment that ends above a line. Comments of other kinds may stand between. */
const commentAbove = (lines: ReadonlyArray<string>, index: number): string => {
  let end = index - 1
  while (/^\s*(?:\/\/|\/\* )/.test(lines[end] ?? "")) end--
  if (!lines[end]?.endsWith("*/")) return ""
  let start = end
  while (start > 0 && !lines[start]!.trimStart().startsWith("/**")) start--
  return commentsOf(lines.slice(start, end + 1).join("\n")).replace("*/", "")
}

/** Whether text that is more than a name stands before the tags and ends as a sentence does. */
const hasSentence = (comment: string): boolean => {
  const first = comment.split(/(?:^|\s)@\w/)[0]!.split(/\n\s*\n|```/)[0]!.trim()
  return /\w\S*\s.*[.:]$/s.test(first)
}

const hasExample = (text: string, owner: string, module: string): boolean => {
  const name = module.split("/").at(-1)!
  const imported = new RegExp(`\\b${name}\\b[^"]*\\} from "@parley/${owner}"|from "@parley/${owner}/${module}"`)
  return fencesOf(module, commentsOf(text)).some(({ code, language }) => language === "ts" && imported.test(code))
}
