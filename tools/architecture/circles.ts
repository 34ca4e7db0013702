/**
 * No circles of files: neither of values nor of types. Here a circle is a set of files of which each leads to every
 * other. The list of the rules accepts circles of types that are left, each with its size, so that it can only shrink.
 */
import { closure } from "./closure.ts"
import type { Graph } from "./modules.ts"
import { graphOf } from "./modules.ts"
import type { Rules } from "./rules.ts"
import type { Sources } from "./Sources.ts"
import { valueImportsOf } from "./Sources.ts"

export function* circles(rules: Rules, sources: Sources): Generator<string> {
  const ofValues = circlesOf(graphOf(sources, valueImportsOf))
  for (const [name, members] of ofValues) yield `${name} is in a circle: ${members.join(", ")}`
  const ofAll = circlesOf(graphOf(sources))
  for (const [name, members] of ofAll) {
    const accepted = rules.circles[name]
    if (accepted === undefined) {
      if (!ofValues.has(name)) yield `${name} is in a circle of types: ${members.join(", ")}`
    } else if (accepted !== members.length) {
      yield `the circle of ${name} has ${members.length} files (${members.join(", ")}); the list says ${accepted}`
    }
  }
  for (const name of Object.keys(rules.circles)) {
    if (!ofAll.has(name)) yield `the list of circles names ${name}, which begins no circle: remove it`
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
