/** The site as VitePress is told of it. The navigation comes from the pages. */
import { slug } from "github-slugger"
import { join } from "node:path"
import { type DefaultTheme, defineConfig, type MarkdownOptions } from "vitepress"
import * as Contents from "./Contents.ts"
import { repository } from "./Link.ts"
import * as Page from "./Page.ts"
import * as Reference from "./Reference.ts"

/** Headings have the anchors that they have on GitHub, so that a link holds in both places. */
export const markdown: MarkdownOptions = {
  anchor: { slugify: slug },
  // Shiki does not know these: the nearest of its languages.
  languageAlias: { caddy: "nginx", haproxy: "ini" },
  theme: { light: "github-light-high-contrast", dark: "github-dark-default" }
}

export const configOf = (root: string) => {
  const sections = Contents.make(Page.all(root))
  return defineConfig({
    title: "Parley",
    description: "JSON-RPC 2.0 and MCP for Effect",
    lang: "en",
    base: "/parley/",
    head: [["link", { rel: "icon", type: "image/svg+xml", href: "/parley/icon.svg" }]],
    srcDir: ".tmp/pages",
    outDir: ".tmp/site",
    cacheDir: ".tmp/cache",
    cleanUrls: true,
    markdown,
    themeConfig: {
      // The sidebar has all sections, and a narrow window has room for a few words.
      nav: [
        {
          text: "Guides",
          link: linkOf(Contents.entriesOf(sections)[0]!.page.path),
          activeMatch: "^/(?!api/|how-to/install$)."
        },
        { text: "Install", link: "/how-to/install", activeMatch: "^/how-to/install$" },
        { text: "API", link: "/api/", activeMatch: "^/api/" }
      ],
      sidebar: { "/api/": Reference.sidebar(root), "/": sections.map(sectionOf) },
      outline: [2, 3],
      search: {
        provider: "local",
        options: { _render: (text, env, md) => md.render(soughtIn(text, env.relativePath), env) }
      },
      socialLinks: [{ icon: "github", link: repository }],
      editLink: { pattern: ({ frontmatter }) => frontmatter["source"], text: "Source of this page" },
      footer: { message: "MIT licensed." }
    },
    // The index of the search is one file, which a reader loads at the first search.
    vite: { logLevel: "warn", build: { chunkSizeWarningLimit: 4_000 } }
  })
}

/** The text of a page for the search. It leaves out the signatures of the reference, whose names stand in headings. */
const soughtIn = (text: string, path: string): string =>
  path.startsWith("api/") ? text.replaceAll(/^```[^]*?^```$/gm, "") : text

const linkOf = (path: string): string => `/${path.replace(/\.md$/, "")}`

const sectionOf = ({ groups, title }: Contents.Section): DefaultTheme.SidebarItem => ({
  text: title,
  collapsed: false,
  items: groups.flatMap(({ entries, title }): Array<DefaultTheme.SidebarItem> => {
    const items = entries.map(({ page }) => ({ text: page.title, link: linkOf(page.path) }))
    return title === "" ? items : [{ text: title, collapsed: true, items }]
  })
})

export default configOf(join(import.meta.dirname, "../../.."))
