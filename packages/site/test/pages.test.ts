/** The checks without a build: every page is in the contents, and every link holds, on GitHub and on the site. */
import { assert, describe, it } from "@effect/vitest"
import { existsSync, globSync, readFileSync } from "node:fs"
import { join, posix } from "node:path"
import { createMarkdownRenderer } from "vitepress"
import { manifestsOf } from "../../../tools/pack/Published.ts"
import { markdown } from "../src/config.ts"
import * as Contents from "../src/Contents.ts"
import * as Link from "../src/Link.ts"
import * as Page from "../src/Page.ts"
import * as Reference from "../src/Reference.ts"

const root = join(import.meta.dirname, "../../..")
const pages = Page.all(root)

/** The ids and the links of Markdown files, as the site renders them; code stays as it is, which takes less time. */
const renderer = await createMarkdownRenderer(root, { ...markdown, highlight: () => "<pre></pre>" })

interface Rendered {
  readonly anchors: ReadonlySet<string>
  readonly links: ReadonlyArray<string>
}

const rendered = new Map<string, Rendered>()

const render = (file: string): Rendered => {
  const known = rendered.get(file)
  if (known !== undefined) return known
  const html = renderer.render(readFileSync(join(root, file), "utf8"), {
    path: file,
    relativePath: file,
    cleanUrls: false
  })
  const found = (attribute: RegExp) =>
    Array.from(html.matchAll(attribute), (match) => match[1]!.replaceAll("&amp;", "&"))
  const made = {
    anchors: new Set(found(/ id="([^"]+)"/g)),
    links: found(/<(?:a|img)[^>]* (?:href|src)="(?!#?")([^"]+)"/g)
  }
  rendered.set(file, made)
  return made
}

/** The file of a link, from the root: `undefined` where the link leads out of the project. */
const targetOf = (file: string, path: string): string | undefined => {
  if (path === "") return file
  const [, inRepository] = new RegExp(`^${Link.repository}/(?:blob|tree)/main/(.+)$`).exec(path) ?? []
  if (inRepository !== undefined) return inRepository
  const [, onSite] = new RegExp(`^${Link.site}(.*)$`).exec(path) ?? []
  if (onSite === "" || onSite?.startsWith("api/") === true) return undefined
  if (onSite !== undefined) return pages.find((page) => page.path === `${onSite}.md`)?.source ?? `docs/${onSite}.md`
  return /^[a-z]+:/.test(path) ? undefined : posix.join(posix.dirname(file), decodeURI(path))
}

function* brokenLinks(file: string): Generator<string> {
  for (const link of render(file).links) {
    const [path = "", anchor = ""] = link.split("#")
    // The renderer makes `.html` of `.md`, and adds it to a folder.
    const written = targetOf(file, path)
    const target = [written?.replace(/\.html$/, ".md"), written?.replace(/\.html$/, "")]
      .find((target) => target !== undefined && existsSync(join(root, target)))
    if (written !== undefined && target === undefined) yield `${file} links to ${link}, which is not there`
    if (anchor !== "" && target?.endsWith(".md") && !render(target).anchors.has(decodeURI(anchor))) {
      yield `${file} links to ${link}, which has no heading of that name`
    }
  }
}

describe("the pages", () => {
  it("stand in docs/README.md, each with its title and a line", () => {
    const missing = Contents.unlisted(pages, Contents.make(pages)).map(({ source }) => source)
    assert.deepStrictEqual(missing, [], "docs/README.md needs a line “- [Title](path): line” for these")
    const contents = readFileSync(join(root, "docs/README.md"), "utf8")
    const untitled = pages.filter(({ source, title }) =>
      source !== "docs/README.md" && !contents.includes(`- [${title}](${posix.relative("docs", source)}): `)
    )
    assert.deepStrictEqual(untitled.map(({ source }) => source), [], "docs/README.md has other titles for these")
  })

  it("have links and anchors that hold", () => {
    const files = [
      ...globSync(["README.md", "packages/*/README.md"], { cwd: root }),
      ...pages.map(({ source }) => source)
    ]
    assert.deepStrictEqual(files.flatMap((file) => [...brokenLinks(file)]), [])
  })
})

describe("the reference", () => {
  it("has every published package", () => {
    const published = manifestsOf(root).map(({ name }) => name)
    assert.sameMembers(Reference.packages.map((name) => `@parley/${name}`), published)
  })
})

describe("the contents", () => {
  const page = (source: string, text = "") => ({ source, path: Page.pathOf(source), title: source, text })
  const contents = (text: string, ...sources: ReadonlyArray<string>) =>
    Contents.make([page("docs/README.md", text), ...sources.map((source) => page(source))]).map(({ groups, title }) => [
      title,
      ...groups.map(({ entries, title }) => [title, ...entries.map(({ page }) => page.path)])
    ])

  it("have sections, groups and pages in the order of docs/README.md", () => {
    const text =
      "# All\n\n## A\n\n- [Y](how-to/y.md): y\n\n### Group\n\n- [X](how-to/x.md): x\n\n## B\n\n- [Map](../ARCHITECTURE.md): map\n"
    assert.deepStrictEqual(contents(text, "ARCHITECTURE.md", "docs/how-to/x.md", "docs/how-to/y.md"), [
      ["A", ["", "how-to/y.md"], ["Group", "how-to/x.md"]],
      ["B", ["", "architecture.md"]]
    ])
  })
})

describe("a link of a page", () => {
  const translated = (text: string, source = "docs/how-to/reconnect.md") =>
    Link.translate(root, { source, path: Page.pathOf(source), text }, new Set(pages.map(({ source }) => source)))

  it("leads to another page, with its anchor", () => {
    assert.strictEqual(translated("[a](bound-memory.md#b)"), "[a](./bound-memory.md#b)")
    assert.strictEqual(translated("[a](../../ARCHITECTURE.md)"), "[a](../architecture.md)")
    assert.strictEqual(translated("[a](docs/how-to/reconnect.md)", "ARCHITECTURE.md"), "[a](./how-to/reconnect.md)")
  })

  it("leads to the repository, where the target is no page", () => {
    const file = "packages/peer/src/Peer.ts"
    assert.strictEqual(translated(`[a](../../${file})`), `[a](${Link.repository}/blob/main/${file})`)
    assert.strictEqual(translated("[a](../../packages/peer)"), `[a](${Link.repository}/tree/main/packages/peer)`)
  })

  it("is left as it is in code, and where it is absolute or of the page itself", () => {
    const text = "`[a](x.md)` [b](https://example.com/x.md) [c](#d)\n\n```md\n[e](x.md)\n```\n"
    assert.strictEqual(translated(text), text)
  })
})
