/** Builds the site, and serves what was built at an address of this machine. */
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { preview, type PreviewServer } from "vite"
import { build as buildPages } from "vitepress"
import { toSvg } from "./drawing/Drawing.ts"
import * as Drawings from "./drawing/drawings.ts"
import * as LlmsTxt from "./LlmsTxt.ts"
import * as Pages from "./Pages.ts"
import * as Reference from "./Reference.ts"

const site = join(import.meta.dirname, "..")
const root = join(site, "../..")

/** The folder of the built site. */
export const folder = join(site, ".tmp/site")

/** Writes all pages and builds the site of them. Most of the time goes into the reference. */
export const build = async ({ reference = true }: { readonly reference?: boolean } = {}): Promise<void> => {
  const pages = join(site, ".tmp/pages")
  // A draft has the reference of an earlier build, where there was one.
  if (reference) rmSync(pages, { recursive: true, force: true })
  Pages.write(root, pages)
  if (reference) await Reference.write(root, join(pages, "api"))
  await buildPages(site)
  LlmsTxt.write(root, pages, folder)
}

/** Draws the pictures of the pages. */
export const draw = (): void => {
  for (const drawing of Drawings.all(root)) writeFileSync(join(root, Drawings.fileOf(drawing)), toSvg(drawing))
}

export const serve = (port: number): Promise<PreviewServer> =>
  preview({
    root: site,
    configFile: false,
    appType: "mpa",
    base: "/parley/",
    logLevel: "error",
    build: { outDir: folder },
    preview: { host: "127.0.0.1", port, strictPort: false }
  })
