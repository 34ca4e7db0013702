/** What an import loads before anything runs: the modules that are imported statically, those of Effect included. */
import { existsSync, readFileSync } from "node:fs"
import { join, posix } from "node:path"
import { eagerImportsOf, packageOf } from "./Sources.ts"

/** Specifier of a module (`@parley/node/internal/tls`, `effect/Stream`, `node:net`) → who imports it first. */
export type Loading = ReadonlyMap<string, string | undefined>

export const loadingOf = (root: string, specifier: string): Loading => {
  const loading = new Map<string, string | undefined>([[specifier, undefined]])
  // Modules that are added to a Map while it is iterated have their turn, too.
  for (const [module] of loading) {
    for (const imported of importedBy(root, module)) {
      if (!loading.has(imported)) loading.set(imported, module)
    }
  }
  return loading
}

/** The way from the import to a module, which tells where to cut it. */
export const wayTo = (loading: Loading, module: string): string => {
  const importer = loading.get(module)
  return importer === undefined ? module : `${wayTo(loading, importer)} → ${module}`
}

const cache = new Map<string, ReadonlyArray<string>>()

const importedBy = (root: string, module: string): ReadonlyArray<string> => {
  const known = cache.get(module)
  if (known !== undefined) return known
  const path = pathOf(root, module)
  // The name of an entry stands for its index.
  const isEntry = module.startsWith("@parley/") && Object.hasOwn(entries, restOf(module))
  const folder = isEntry || module === packageOf(module) ? module : posix.dirname(module)
  const found = path === undefined ?
    [] :
    eagerImportsOf(readFileSync(path, "utf8")).map((specifier) =>
      specifier.startsWith(".") ? posix.join(folder, specifier).replace(/\.[jt]s$/, "") : specifier
    )
  cache.set(module, found)
  return found
}

/** The entries of a package that are no module by themselves. */
const entries: Readonly<Record<string, string>> = {
  "": "index",
  shared: "shared/index",
  "shared/address": "shared/Address",
  "shared/client": "shared/client/index"
}

const restOf = (module: string): string => module.slice(packageOf(module).length + 1)

/** Only our packages and Effect are looked into. */
const pathOf = (root: string, module: string): string | undefined => {
  const name = packageOf(module)
  const rest = restOf(module)
  if (name.startsWith("@parley/")) {
    return join(root, "packages", name.slice("@parley/".length), "src", `${entries[rest] ?? rest}.ts`)
  }
  if (name !== "effect") return undefined
  const path = join(root, "node_modules/effect/dist", `${rest === "" ? "index" : rest}.js`)
  if (!existsSync(path)) throw new Error(`${module} is not at ${path}`)
  return path
}
