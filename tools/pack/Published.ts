/** The packages as they would be published: built, packed, and installed into an empty project. */
import { execFileSync, spawnSync } from "node:child_process"
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { isPublic } from "../architecture/Sources.ts"
import * as Guides from "./Guides.ts"
import { pnpm } from "./Pnpm.ts"

export interface Published {
  readonly name: string
  readonly version: string
  readonly tarball: string
  /** The number of its files, its bytes, and its hash as a lockfile has it. */
  readonly files: number
  readonly size: number
  readonly integrity: string
  /** What may be imported: the index, as the name of the package, and every module. */
  readonly specifiers: ReadonlyArray<string>
}

interface Packed {
  readonly name: string
  readonly version: string
  readonly filename: string
  readonly integrity: string
  readonly size: number
  readonly files: ReadonlyArray<unknown>
}

/** The manifests of the packages that are not private, each with its folder, from the root. */
export const manifestsOf = (root: string) =>
  globSync("packages/*/package.json", { cwd: root }).toSorted()
    .map((path) => ({ folder: dirname(path), ...JSON.parse(readFileSync(join(root, path), "utf8")) }))
    .filter((manifest) => manifest.private !== true)

/** Builds every package that is not private, and packs it into a folder below `.tmp`. */
export const pack = (root: string, into = "pack"): ReadonlyArray<Published> => {
  const build = compile(root, ["-b"], root)
  if (build !== "") throw new Error(`The packages do not compile:\n${build}`)
  Guides.write(root)
  const folder = join(root, ".tmp", into)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const manifests = manifestsOf(root)
  // One pnpm for all: each would read the whole workspace.
  const filters = manifests.flatMap(({ name }) => ["--filter", name])
  // They are built: their scripts would build each again.
  const packed: ReadonlyArray<Packed> = JSON.parse(
    pnpm(root, ...filters, "pack", "--json", "--config.ignore-scripts=true", "--pack-destination", folder)
  )
  return manifests.map((manifest) => {
    const { filename, files, integrity, name, size, version } = packed.find(({ name }) => name === manifest.name)!
    const modules = modulesOf(join(root, manifest.folder)).map((module) => `${name}/${module}`)
    const isImported = manifest.exports["."] !== undefined
    const tarball = join(folder, basename(filename))
    return {
      name,
      version,
      tarball,
      files: files.length,
      size,
      integrity,
      specifiers: isImported ? [name, ...modules] : []
    }
  })
}

/** The modules for programs, and the entries of what the packages share. */
const modulesOf = (pkg: string): ReadonlyArray<string> => [
  ...globSync("**/*.ts", { cwd: join(pkg, "src") }).toSorted()
    .map((path) => path.slice(0, -".ts".length))
    .filter(isPublic),
  ...globSync("shared/**/index.ts", { cwd: join(pkg, "src") }).map((path) => dirname(path))
]

/** Installs packages into an empty project, the tarballs for those of ours; returns its folder. */
export const install = (
  root: string,
  packages: ReadonlyArray<Published>,
  names: ReadonlyArray<string>
): string => {
  const folder = mkdtempSync(join(tmpdir(), "parley-consumer-"))
  const tarballs = Object.fromEntries(packages.map(({ name, tarball }) => [name, `file:${tarball}`]))
  const dependencies = Object.fromEntries(names.map((name) => [name, tarballs[name] ?? versionOf(root, name)]))
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module", dependencies }))
  // The packages depend on each other by version; here those versions are the tarballs.
  writeFileSync(join(folder, "pnpm-workspace.yaml"), JSON.stringify({ overrides: tarballs }))
  pnpm(folder, "install", "--prefer-offline", "--ignore-scripts")
  return folder
}

/** The version of a package of others that is installed here. */
export const versionOf = (root: string, name: string): string =>
  JSON.parse(readFileSync(join(root, "node_modules", name, "package.json"), "utf8")).version

/** Imports every module under plain Node, in one process; prints the number of exports of each. */
export const importAll = (folder: string, specifiers: ReadonlyArray<string>): Readonly<Record<string, number>> => {
  const script = `const counts = {}
for (const specifier of ${JSON.stringify(specifiers)}) {
  try { counts[specifier] = Object.keys(await import(specifier)).length } catch (error) { counts[specifier] = error.code }
}
console.log(JSON.stringify(counts))`
  writeFileSync(join(folder, "import.mjs"), script)
  return JSON.parse(execFileSync(process.execPath, ["import.mjs"], { cwd: folder, encoding: "utf8" }))
}

/** Runs a command that the packages bring; returns what it prints. */
export const execute = (folder: string, command: string, ...args: ReadonlyArray<string>): string =>
  execFileSync(join(folder, "node_modules/.bin", command), args, { cwd: folder, encoding: "utf8" })

/** Type-checks a program that imports these modules, declarations of dependencies included. */
export const typeCheck = (
  root: string,
  folder: string,
  specifiers: ReadonlyArray<string>,
  types: ReadonlyArray<string>
): string => {
  const program = specifiers.map((specifier, index) => `export * as X${index} from "${specifier}"\n`).join("")
  writeFileSync(join(folder, "consumer.ts"), program)
  return typeCheckFiles(root, folder, ["consumer.ts"], types)
}

/** Type-checks files of a project, declarations of dependencies included, but for those of the compiler itself. */
export const typeCheckFiles = (
  root: string,
  folder: string,
  files: ReadonlyArray<string>,
  types: ReadonlyArray<string>
): string => {
  const compilerOptions = {
    target: "ES2022",
    lib: ["ES2024", "DOM"],
    types,
    module: "NodeNext",
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    skipDefaultLibCheck: true
  }
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }))
  // Most of the work is to know the declarations of Effect, which each checker does for itself.
  return compile(root, ["--checkers", "1"], folder)
}

/** What the compiler prints: nothing, when all is well. */
const compile = (root: string, args: ReadonlyArray<string>, cwd: string): string =>
  spawnSync(join(root, "node_modules/.bin/tsc"), [...args, "--pretty", "false"], { cwd, encoding: "utf8" }).stdout
