import type { Neighbours } from "./rules.ts"

/** Everything to the left of a name: its left neighbours, theirs, and so on. */
export const closure = (neighbours: Neighbours): (name: string) => ReadonlySet<string> => (name) => {
  const reached = new Set<string>()
  const visit = (from: string): void => {
    for (const next of neighbours[from] ?? []) {
      if (reached.has(next)) continue
      reached.add(next)
      visit(next)
    }
  }
  visit(name)
  return reached
}
