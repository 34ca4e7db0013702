/**
 * The order of the pages, and a line about each: `docs/README.md` says both, for readers on GitHub as for the site.
 *
 * A heading `## Section` begins a section, `### Group` a group of it, and a list item `- [Title](path): line` is a page.
 */
import { join } from "node:path"
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

const file = "docs/README.md"

/** The pages that have a line, in the order of their lines. */
export const make = (pages: ReadonlyArray<Page>): ReadonlyArray<Section> => {
  const bySource = new Map(pages.map((page) => [page.source, page]))
  const sections: Array<{ title: string; groups: Array<{ title: string; entries: Array<Entry> }> }> = []
  for (const line of bySource.get(file)?.text.split("\n") ?? []) {
    const [, heading, title = ""] = /^(###?) (.+)$/.exec(line) ?? []
    if (heading === "##") sections.push({ title, groups: [{ title: "", entries: [] }] })
    if (heading === "###") sections.at(-1)?.groups.push({ title, entries: [] })
    const [, path = "", said = ""] = /^- \[[^\]]+\]\(([^)]+\.md)\): (.+)$/.exec(line) ?? []
    const page = bySource.get(join("docs", path))
    if (page !== undefined) sections.at(-1)?.groups.at(-1)?.entries.push({ page, line: said })
  }
  return sections.map(({ groups, title }) => ({ title, groups: groups.filter(({ entries }) => entries.length > 0) }))
}

/** The pages for which the contents have no line. */
export const unlisted = (pages: ReadonlyArray<Page>, sections: ReadonlyArray<Section>): ReadonlyArray<Page> => {
  const listed = new Set(entriesOf(sections).map(({ page }) => page))
  return pages.filter((page) => page.source !== file && !listed.has(page))
}

export const entriesOf = (sections: ReadonlyArray<Section>): ReadonlyArray<Entry> =>
  sections.flatMap(({ groups }) => groups.flatMap(({ entries }) => entries))
