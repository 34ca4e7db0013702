/** The rules inside a package: who is to the left of whom. */
import { posix } from "node:path"
import { closure } from "./closure.ts"
import type { Neighbours, Rules } from "./rules.ts"
import type { Sources } from "./Sources.ts"
import { importsOf, placeOf } from "./Sources.ts"

/** Package → module → the modules of the same package it imports. */
export type Graph = ReadonlyMap<string, ReadonlyMap<string, ReadonlyArray<string>>>

export const graphOf = (sources: Sources, imports = importsOf): Graph => {
  const graph = new Map<string, Map<string, ReadonlyArray<string>>>()
  for (const [path, text] of sources.files) {
    const place = placeOf(path)
    if (place?.kind !== "src") continue
    const edges = imports(text).flatMap((specifier) => localTarget(place.package, place.module, specifier))
    const modules = graph.get(place.package) ?? new Map<string, ReadonlyArray<string>>()
    graph.set(place.package, modules.set(place.module, edges))
  }
  return graph
}

const localTarget = (pkg: string, module: string, specifier: string): ReadonlyArray<string> => {
  if (specifier.startsWith(".")) return [posix.join(posix.dirname(module), specifier).replace(/\.ts$/, "")]
  if (specifier === `@parley/${pkg}`) return ["index"]
  const prefix = `@parley/${pkg}/`
  return specifier.startsWith(prefix) ? [specifier.slice(prefix.length)] : []
}

export function* layering(rules: Rules, graph: Graph): Generator<string> {
  for (const [pkg, modules] of graph) {
    for (const [module, targets] of modules) {
      if (targets.includes("index")) yield `packages/${pkg}/src/${module}.ts imports its own index`
    }
    const table = rules.modules[pkg]
    if (table === undefined) continue
    const allowed = closure(table)
    for (const module of modules.keys()) {
      if (isIndex(module) || isInternal(module)) continue
      const row = rowOf(table, module)
      if (row === undefined) {
        yield `packages/${pkg}/src/${module}.ts has no place among the modules of the rules`
        continue
      }
      for (const target of throughInternals(modules, module)) {
        const targetRow = rowOf(table, target)
        if (target !== "index" && (targetRow === undefined || !allowed(row).has(targetRow))) {
          yield `packages/${pkg}/src/${module}.ts imports ${target}, which is not to the left of it`
        }
      }
    }
  }
}

/** An entry re-exports modules, and is no neighbour of any. */
const isIndex = (module: string): boolean => /^(?:shared\/(?:client\/)?)?index$/.test(module)

const isInternal = (module: string): boolean => module.startsWith("internal/")

/** The row of a module: its own name, else `folder/*`, else `*`. */
const rowOf = (table: Neighbours, module: string): string | undefined =>
  [module, `${posix.dirname(module)}/*`, "*"].find((row) => Object.hasOwn(table, row))

/** What a module imports, where an internal module stands for what it imports itself. */
const throughInternals = (
  modules: ReadonlyMap<string, ReadonlyArray<string>>,
  module: string
): ReadonlySet<string> => {
  const reached = new Set<string>()
  const seen = new Set<string>()
  const visit = (from: string): void => {
    for (const target of modules.get(from) ?? []) {
      if (!isInternal(target)) reached.add(target)
      else if (!seen.has(target)) {
        seen.add(target)
        visit(target)
      }
    }
  }
  visit(module)
  reached.delete(module)
  return reached
}
