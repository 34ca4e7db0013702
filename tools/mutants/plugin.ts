import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Plugin } from "vitest/config"
import type { Mutant } from "./Mutant.ts"

const query = "?mutant="

/** The test file of a mutant under an id of its own, so that one run holds every mutant beside the others. */
export const idOf = (root: string, mutant: Mutant): string => join(root, mutant.test) + query + mutant.name

const nameIn = (id: string): string | undefined => id.split(query)[1]

/**
 * Patches sources in memory. A module that is imported by one with `?mutant=x` has `?mutant=x` itself, so each mutant
 * has its own copy of every module of the repository, and shares those of node_modules.
 */
export const mutantPlugin = (root: string, mutants: ReadonlyArray<Mutant>): Plugin => {
  const byName = new Map(mutants.map((mutant) => [mutant.name, mutant]))
  return {
    name: "mutants",
    enforce: "pre",
    async resolveId(source, importer, options) {
      const name = nameIn(importer ?? "")
      if (name === undefined || source.includes(query)) return undefined
      const resolved = await this.resolve(source, importer, { ...options, skipSelf: true })
      if (resolved === null || !isOurs(root, resolved.id)) return resolved
      return { ...resolved, id: resolved.id + query + name }
    },
    load(id) {
      const mutant = byName.get(nameIn(id) ?? "")
      if (mutant === undefined) return undefined
      const path = id.split("?")[0]!
      const text = readFileSync(path, "utf8")
      return path === join(root, mutant.file) ? text.replace(mutant.find, () => mutant.replace) : text
    }
  }
}

const isOurs = (root: string, id: string): boolean =>
  id.startsWith(root) && id.endsWith(".ts") && !id.includes("node_modules")
