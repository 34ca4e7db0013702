/**
 * The site for language models, as llmstxt.org proposes: `llms.txt` lists the pages, `llms-full.txt` is all that people
 * wrote, and each page is there as Markdown, too, at its address with `.md`.
 */
import { cpSync, globSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Contents from "./Contents.ts"
import * as Link from "./Link.ts"
import * as Page from "./Page.ts"
import { packages } from "./Reference.ts"

const summary =
  "Parley is a toolkit for Effect 4 in TypeScript: a peer that calls and serves JSON-RPC 2.0 over any wire, "
  + "and a server and a client of the Model Context Protocol."

/** Writes the texts beside the built pages. `pages` is the folder from which they were built. */
export const write = (root: string, pages: string, out: string): void => {
  const sections = Contents.make(Page.all(root))
  const lines = (section: Contents.Section) =>
    Contents.entriesOf([section]).map(({ line, page }) => `- [${page.title}](${Link.site}${page.path}): ${line}`)
  const reference = packages.map((name) => `- [@parley/${name}](${Link.site}api/${name}/index.md)`)
  const index = [
    "# Parley",
    `> ${summary}`,
    ...sections.map((section) => `## ${section.title}\n\n${lines(section).join("\n")}`),
    `## Reference of the modules\n\n${reference.join("\n")}`
  ]
  writeFileSync(join(out, "llms.txt"), `${index.join("\n\n")}\n`)
  const texts = Contents.entriesOf(sections).map(({ page }) => page.text)
  writeFileSync(join(out, "llms-full.txt"), `# Parley\n\n${summary}\n\n${texts.join("\n\n")}`)
  for (const path of globSync("**/*.md", { cwd: pages })) cpSync(join(pages, path), join(out, path))
}
