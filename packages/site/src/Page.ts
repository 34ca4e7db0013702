/** The pages of the site that people wrote: where each is in the repository, and where on the site. */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"

export interface Page {
  /** Its file, from the root of the repository. */
  readonly source: string
  /** Its file among the pages of the site. */
  readonly path: string
  readonly title: string
  readonly text: string
}

/** Pages that have another place on the site than in the repository. */
const elsewhere: ReadonlyMap<string, string> = new Map([
  ["ARCHITECTURE.md", "architecture.md"],
  ["CONTRIBUTING.md", "contributing.md"],
  ["docs/README.md", "contents.md"]
])

export const all = (root: string): ReadonlyArray<Page> =>
  [...elsewhere.keys(), ...globSync("docs/**/*.md", { cwd: root }).filter((path) => !elsewhere.has(path)).toSorted()]
    .map((source) => {
      const text = readFileSync(join(root, source), "utf8")
      return { source, path: pathOf(source), title: titleOf(source, text), text }
    })

/** The place on the site of a file that is a page. */
export const pathOf = (source: string): string => elsewhere.get(source) ?? source.replace(/^docs\//, "")

const titleOf = (source: string, text: string): string => {
  const title = /^# (.+)$/m.exec(text)?.[1]
  if (title === undefined) throw new Error(`${source} has no heading "# …", which would be its title`)
  return title.replaceAll("`", "")
}
