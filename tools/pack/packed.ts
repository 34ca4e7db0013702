/**
 * Packs the packages into a folder, for projects beside this checkout: `pnpm packed DIR`. It prints the lines for their
 * `package.json`: with them, `npm install` takes the packages of the folder for all that depends on them.
 */
import { copyFileSync, mkdirSync } from "node:fs"
import { basename, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { pack, versionOf } from "./Published.ts"

const [folder, ...others] = process.argv.slice(2)
if (folder === undefined || folder.startsWith("-") || others.length > 0) {
  console.error("usage: pnpm packed DIR, where DIR is a folder for the packages, such as ../packed")
  process.exit(64)
}

const root = fileURLToPath(new URL("../..", import.meta.url))
// pnpm runs the script in the root; a path is relative to where the command was typed.
const into = resolve(process.env["INIT_CWD"] ?? ".", folder)
mkdirSync(into, { recursive: true })
const files = pack(root, "packed").map(({ name, tarball }): readonly [string, string] => {
  const file = join(into, basename(tarball))
  copyFileSync(tarball, file)
  return [name, `file:${file}`]
})

const all = Object.fromEntries(files)
const beside = Object.fromEntries(["effect", "@effect/platform-node"].map((name) => [name, versionOf(root, name)]))
console.log(`\n${files.length} packages are in ${into}. Lines for the package.json of a project:\n`)
console.log(
  JSON.stringify(
    { type: "module", dependencies: { ...beside, ...all }, overrides: all, resolutions: all },
    undefined,
    2
  )
)
console.log(
  "\nKeep those of `dependencies` that the project imports, and all of `overrides` (npm) or `resolutions` (Yarn)."
)
