/**
 * The order of the pages, and a line about each: `docs/README.md` says both, for readers on GitHub as for the site.
 *
 * A heading `## Section` begins a section, `### Group` a group of it, and a list item `- [Title](path): line` is a page.
 * A page that is not listed stands at the end of the section that lists others of its folder, or in one of its own.
 */
import { join, posix } from "node:path"
import type { Page } from "./Page.ts"

export interface Section {
  readonly title: string
  readonly groups: ReadonlyArray<Group>
}

export interface Group {
  /** Empty for the pages that stand before the first group of their section. */
  readonly title: string
  readonly entries: ReadonlyArray<Entry>
}

export interface Entry {
  readonly page: Page
  readonly line: string
}

/** A section to which pages may be added. */
export interface Draft {
  readonly title: string
  readonly groups: Array<{ readonly title: string; readonly entries: Array<Entry> }>
}

const file = "docs/README.md"

/** All pages. */
export const make = (pages: ReadonlyArray<Page>): ReadonlyArray<Section> => {
  const sections = listed(pages)
  for (const page of unlisted(pages, sections)) {
    const kind = kindOf(page)
    let home = sections.find(({ groups }) =>
      groups.some(({ entries }) => entries.some((entry) => kindOf(entry.page) === kind))
    )
    if (home === undefined) {
      const folder = posix.basename(posix.dirname(page.source))
      home = { title: folder.charAt(0).toUpperCase() + folder.slice(1), groups: [{ title: "", entries: [] }] }
      sections.push(home)
    }
    home.groups.at(-1)?.entries.push({ page, line: "" })
  }
  return sections.map(({ groups, title }) => ({ title, groups: groups.filter(({ entries }) => entries.length > 0) }))
}

/** The pages that have a line, as `docs/README.md` has them. */
export const listed = (pages: ReadonlyArray<Page>): Array<Draft> => {
  const bySource = new Map(pages.map((page) => [page.source, page]))
  const sections: Array<Draft> = []
  for (const line of bySource.get(file)?.text.split("\n") ?? []) {
    const [, heading, title = ""] = /^(###?) (.+)$/.exec(line) ?? []
    if (heading === "##") sections.push({ title, groups: [{ title: "", entries: [] }] })
    if (heading === "###") sections.at(-1)?.groups.push({ title, entries: [] })
    const [, path = "", said = ""] = /^- \[[^\]]+\]\(([^)]+\.md)\): (.+)$/.exec(line) ?? []
    const page = bySource.get(join("docs", path))
    if (page !== undefined) sections.at(-1)?.groups.at(-1)?.entries.push({ page, line: said })
  }
  return sections
}

/** Its folder, and in a folder of many subjects the one that its name begins with. */
const kindOf = ({ source }: Page): string =>
  posix.dirname(source) + (posix.basename(source).startsWith("mcp-") ? "/mcp" : "")

/** The pages for which the contents have no line. */
export const unlisted = (pages: ReadonlyArray<Page>, sections: ReadonlyArray<Section>): ReadonlyArray<Page> => {
  const listed = new Set(entriesOf(sections).map(({ page }) => page))
  return pages.filter((page) => page.source !== file && !listed.has(page))
}

export const entriesOf = (sections: ReadonlyArray<Section>): ReadonlyArray<Entry> =>
  sections.flatMap(({ groups }) => groups.flatMap(({ entries }) => entries))
