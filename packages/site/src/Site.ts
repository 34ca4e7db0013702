/** Builds the site, and serves what was built at an address of this machine. */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { preview, type PreviewServer } from "vite"
import { build as buildPages } from "vitepress"
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
