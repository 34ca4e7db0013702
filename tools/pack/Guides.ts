/** The how-tos as files of the built packages, for readers without a network, such as coding agents. */
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename, join, posix } from "node:path"

const folder = "docs/how-to"

const repository = "https://github.com/parley-effect/parley/blob/main"

const ownerOf = (page: string): string => basename(page).startsWith("mcp-") ? "mcp" : "peer"

/** The text of a page in a folder that has these pages: its links to others lead to the repository. */
const alone = (text: string, pages: ReadonlySet<string>): string =>
  text.replace(
    /\]\((\.\.\/[^()\s#]+|[\w-]+\.md)(#[^()\s]*)?\)/g,
    (link, to: string, part = "") => pages.has(to) ? link : `](${repository}/${posix.join(folder, to)}${part})`
  )

/** Writes the how-tos into `dist/guides` of `peer`, and those of MCP into that of `mcp`. */
export const write = (root: string): void => {
  const pages = globSync(`${folder}/*.md`, { cwd: root })
  for (const owner of new Set(pages.map(ownerOf))) {
    const own = new Set(pages.filter((page) => ownerOf(page) === owner).map((page) => basename(page)))
    const guides = join(root, "packages", owner, "dist/guides")
    mkdirSync(guides, { recursive: true })
    for (const name of own) {
      const file = join(guides, name)
      const text = alone(readFileSync(join(root, folder, name), "utf8"), own)
      // Another process may pack at the same time.
      if (!existsSync(file) || readFileSync(file, "utf8") !== text) writeFileSync(file, text)
    }
    for (const name of readdirSync(guides)) if (!own.has(name)) rmSync(join(guides, name), { force: true })
  }
}
