/** The pages as VitePress reads them: a folder with all that people wrote, its links translated, and the reference. */
import { cpSync, globSync, mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Contents from "./Contents.ts"
import * as Link from "./Link.ts"
import * as Page from "./Page.ts"

export const write = (root: string, folder: string): void => {
  const pages = Page.all(root)
  const sources = new Set(pages.map(({ source }) => source))
  const lines = new Map(Contents.entriesOf(Contents.make(pages)).map(({ line, page }) => [page.source, line]))
  for (const page of pages) {
    const about = { source: Link.addressOf(root, page.source), description: lines.get(page.source) ?? "" }
    put(join(folder, page.path), frontmatter(about) + Link.translate(root, page, sources))
  }
  for (const image of globSync("docs/**/*.{svg,png}", { cwd: root })) {
    cpSync(join(root, image), join(folder, Page.pathOf(image)))
  }
  cpSync(join(root, "packages/site/pages"), folder, { recursive: true })
}

/** Writes a file, and the folders above it. */
export const put = (file: string, text: string): void => {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

export const frontmatter = (values: Readonly<Record<string, string>>): string =>
  `---\n${Object.entries(values).map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`).join("")}---\n\n`
