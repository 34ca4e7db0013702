/** What the rules look at: the workspace's files and manifests, read from disk or made up by a test. */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"

export interface Sources {
  /** Path from the root (`packages/peer/src/Peer.ts`) → text. */
  readonly files: ReadonlyMap<string, string>
  /** Folder of the package (`peer`) → its package.json. */
  readonly manifests: ReadonlyMap<string, Manifest>
  /** What the root's package.json offers to the tests of every package. */
  readonly shared: ReadonlySet<string>
}

export interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly files?: ReadonlyArray<string>
  readonly exports?: Readonly<Record<string, unknown>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

export const readSources = (root: string): Sources => {
  const read = (path: string) => readFileSync(join(root, path), "utf8")
  const paths = globSync(["packages/*/{src,test,mutants}/**/*.ts", "tools/**/*.ts"], { cwd: root })
  const manifests = globSync("packages/*/package.json", { cwd: root })
  const shared: Manifest = JSON.parse(read("package.json"))
  return {
    files: new Map(paths.toSorted().map((path) => [path, read(path)])),
    manifests: new Map(manifests.toSorted().map((path) => [path.split("/")[1]!, JSON.parse(read(path))])),
    shared: new Set(Object.keys(shared.devDependencies ?? {}))
  }
}

/** `packages/protocol/src/shared/text/Excerpt.ts` is the module `text/Excerpt` of the package `protocol`. */
export interface Place {
  readonly package: string
  readonly kind: "src" | "test"
  readonly module: string
}

export const placeOf = (path: string): Place | undefined => {
  const match = /^packages\/([^/]+)\/(src|test)\/(.+)\.ts$/.exec(path)
  return match === null
    ? undefined
    : { package: match[1]!, kind: match[2] === "src" ? "src" : "test", module: match[3]! }
}

/** Whether users have a reason to import a module: it is neither an index, nor a program, nor internal, nor shared. */
export const isPublic = (module: string): boolean => !/^(?:index|bin)$|(?:^|\/)(?:internal|shared)\//.test(module)

/** The specifiers a file imports or re-exports from, dynamic imports and import types included. */
export const importsOf = (text: string): ReadonlyArray<string> => scan(text, /^(?:import|export)\b/)

/** Those that are left when the types are erased. */
export const valueImportsOf = (text: string): ReadonlyArray<string> => scan(text, /^(?:import|export)\b(?! type\b)/)

/** Those that load with the file: dynamic imports load when they run. */
export const eagerImportsOf = (text: string): ReadonlyArray<string> => scan(text, /^(?:import|export)\b(?! type\b)/, "")

const dynamic = `|\\bimport\\(\\s*"([^"]+)"`

const scan = (text: string, keyword: RegExp, more = dynamic): ReadonlyArray<string> => {
  const code = text.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/^\s*\/\/.*$/gm, "")
  const from = `${keyword.source}[^"'\`;=]*?from\\s*"([^"]+)"`
  const found = code.matchAll(new RegExp(`${from}|^import\\s*"([^"]+)"${more}`, "gm"))
  return [...new Set(Array.from(found, (match) => match[1] ?? match[2] ?? match[3]!))]
}

/** `@parley/peer/Peer` → `@parley/peer`; `effect/Effect` → `effect`. */
export const packageOf = (specifier: string): string =>
  specifier.split("/").slice(0, specifier.startsWith("@") ? 2 : 1).join("/")
