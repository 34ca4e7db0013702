import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Plugin } from "vitest/config"
import { valueImportsOf } from "../architecture/Sources.ts"
import type { Mutant } from "./Mutant.ts"
import { patch } from "./Mutant.ts"

const query = "?mutant="

/** The test file of a mutant under an id of its own, so that one run holds every mutant beside the others. */
export const idOf = (root: string, mutant: Mutant): string => join(root, mutant.test) + query + mutant.name

/** Whether a file of tests has this id because of a mutant. */
export const isOfMutant = (id: string): boolean => id.includes(query)

const nameIn = (id: string): string | undefined => id.split(query)[1]

/** Where a specifier leads, from this file. */
type Resolve = (specifier: string, importer: string) => Promise<string | undefined>

/**
 * Patches sources in memory. A module that is imported by one with `?mutant=x` has `?mutant=x` itself if it is the
 * patched one or imports it, at whatever distance. So each mutant has its own copy of all that it changes, and shares
 * the other modules, which are most of what there is to load.
 */
export const mutantPlugin = (root: string, mutants: ReadonlyArray<Mutant>): Plugin => {
  const byName = new Map(mutants.map((mutant) => [mutant.name, mutant]))
  const reached = reachedIn(root)
  /** What specifiers lead to, by the file that has them: the same for the file under every mutant. */
  const resolutions = new Map<string, Promise<{ readonly id: string } | null>>()
  return {
    name: "mutants",
    enforce: "pre",
    configureServer({ environments }) {
      for (const environment of Object.values(environments)) {
        environment.transformRequest = sharing(environment.transformRequest.bind(environment), byName)
      }
    },
    async resolveId(source, importer, options) {
      const mutant = byName.get(nameIn(importer ?? "") ?? "")
      if (mutant === undefined || source.includes(query)) return undefined
      const key = `${importer?.split("?")[0]}\n${source}`
      const resolution = resolutions.get(key) ?? this.resolve(source, importer, { ...options, skipSelf: true })
      resolutions.set(key, resolution)
      const resolved = await resolution
      if (resolved === null || !isOurs(root, resolved.id)) return resolved
      const modules = await reached(
        resolved.id,
        async (specifier, from) => (await this.resolve(specifier, from, { skipSelf: true }))?.id
      )
      return modules.has(join(root, mutant.file)) ? { ...resolved, id: resolved.id + query + mutant.name } : resolved
    },
    load(id) {
      const mutant = byName.get(nameIn(id) ?? "")
      if (mutant === undefined) return undefined
      const path = id.split("?")[0]!
      const text = readFileSync(path, "utf8")
      return path === join(root, mutant.file) ? patch(text, mutant) : text
    }
  }
}

/**
 * Mutants of one file reach the same modules, whose code is the same but for the name of the mutant: it is made for the
 * first of them.
 */
const sharing = <A extends { readonly code: string }>(
  transform: (url: string) => Promise<A | null>,
  mutants: ReadonlyMap<string, Mutant>
) => {
  const made = new Map<string, { readonly name: string; readonly result: Promise<A | null> }>()
  return async (url: string): Promise<A | null> => {
    const mutant = mutants.get(nameIn(url) ?? "")
    const path = url.split("?")[0]!
    if (mutant === undefined || path.endsWith(`/${mutant.file}`)) return transform(url)
    const key = `${path}\n${mutant.file}`
    const known = made.get(key) ?? { name: mutant.name, result: transform(url) }
    made.set(key, known)
    const result = await known.result
    return result && { ...result, code: result.code.replaceAll(query + known.name, query + mutant.name) }
  }
}

/** Leaves out the maps of sources, which take as long to write and to send as the code: nobody reads where it went red. */
export const withoutMaps: Plugin = {
  name: "without maps",
  enforce: "post",
  transform: (code) => ({ code, map: { mappings: "" } })
}

/** The modules of ours that one leads to, itself included. Each file is read once. */
const reachedIn = (root: string) => {
  const imports = new Map<string, Promise<ReadonlyArray<string>>>()
  const closures = new Map<string, Promise<ReadonlySet<string>>>()
  const importsOf = async (id: string, resolve: Resolve) => {
    const ids = await Promise.all(valueImportsOf(readFileSync(id, "utf8")).map((specifier) => resolve(specifier, id)))
    return ids.flatMap((found) => found !== undefined && isOurs(root, found) ? [found] : [])
  }
  const closureOf = async (id: string, resolve: Resolve) => {
    const reached = new Set([id])
    for (const module of reached) {
      const found = imports.get(module) ?? importsOf(module, resolve)
      imports.set(module, found)
      for (const next of await found) reached.add(next)
    }
    return reached
  }
  return (id: string, resolve: Resolve): Promise<ReadonlySet<string>> => {
    const closure = closures.get(id) ?? closureOf(id, resolve)
    closures.set(id, closure)
    return closure
  }
}

const isOurs = (root: string, id: string): boolean =>
  id.startsWith(root) && id.endsWith(".ts") && !id.includes("node_modules")
