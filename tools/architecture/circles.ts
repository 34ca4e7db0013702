/**
 * No circles of files: neither of values nor of types. Here a circle is a set of files of which each leads to every
 * other.
 */
import { closure } from "./closure.ts"
import type { Graph } from "./modules.ts"
import { graphOf } from "./modules.ts"
import type { Sources } from "./Sources.ts"
import { valueImportsOf } from "./Sources.ts"

export function* circles(sources: Sources): Generator<string> {
  const ofValues = circlesOf(graphOf(sources, valueImportsOf))
  for (const [name, members] of ofValues) yield `${name} is in a circle: ${members.join(", ")}`
  for (const [name, members] of circlesOf(graphOf(sources))) {
    if (!ofValues.has(name)) yield `${name} is in a circle of types: ${members.join(", ")}`
  }
}

/** `package/module` of the first file of each circle → the modules of all its files, in the order of the alphabet. */
const circlesOf = (graph: Graph): ReadonlyMap<string, ReadonlyArray<string>> => {
  const found = new Map<string, ReadonlyArray<string>>()
  for (const [pkg, modules] of graph) {
    const reachedFrom = closure(Object.fromEntries(modules))
    const reached = new Map(Array.from(modules.keys(), (module) => [module, reachedFrom(module)]))
    const done = new Set<string>()
    for (const module of [...modules.keys()].toSorted()) {
      if (done.has(module) || !reached.get(module)!.has(module)) continue
      const members = [...reached.get(module)!].filter((other) => reached.get(other)?.has(module)).toSorted()
      for (const member of members) done.add(member)
      found.set(`${pkg}/${module}`, members)
    }
  }
  return found
}
