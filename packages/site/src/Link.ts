/** The links of a page, which are relative to its file, as the site has them. */
import { statSync } from "node:fs"
import { join, posix } from "node:path"
import { pathOf } from "./Page.ts"

export const repository = "https://github.com/parley-effect/parley"
export const site = "https://parley-effect.github.io/parley/"

/**
 * A Markdown text of the file `source`, with links that hold at `path` of the site: to another page, to an image beside
 * the pages, or to the repository. `pages` are the sources of all pages.
 */
export const translate = (
  root: string,
  { path, source, text }: { readonly source: string; readonly path: string; readonly text: string },
  pages: ReadonlySet<string>
): string =>
  outsideCode(
    text,
    (prose) =>
      prose.replaceAll(/(\]\(|src="|href=")(?![a-z]+:|#|\/)([^)#\s"]+)/g, (_, before: string, target: string) => {
        const file = posix.join(posix.dirname(source), target).replace(/\/$/, "")
        const isOnSite = pages.has(file) || /^docs\/.*\.(svg|png)$/.test(file)
        return before + (isOnSite
          ? posix.relative(posix.dirname(path), pathOf(file)).replace(/^(?!\.)/, "./")
          : addressOf(root, file))
      })
  )

/** A file or a folder at the repository's address. */
export const addressOf = (root: string, file: string): string =>
  `${repository}/${statSync(join(root, file)).isDirectory() ? "tree" : "blob"}/main/${file}`

/** Changes a text, but neither its code blocks nor the code in its lines. */
const outsideCode = (text: string, change: (prose: string) => string): string =>
  text.split(/(^ *```[^\n]*\n[^]*?^ *```$|`[^`\n]+`)/m).map((part, index) => index % 2 === 0 ? change(part) : part)
    .join("")
