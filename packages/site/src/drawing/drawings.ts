/** All drawings of the pages. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { packages } from "../Reference.ts"
import { architecture } from "./architecture.ts"
import { charts, drawingOf } from "./benchmarks.ts"
import { connectionEnd } from "./connectionEnd.ts"
import { costs } from "./costs.ts"
import type { Drawing } from "./Drawing.ts"
import { eras } from "./eras.ts"
import { message } from "./message.ts"
import { nodes } from "./nodes.ts"

export const all = (root: string): ReadonlyArray<Drawing> => [
  architecture(neighboursOf(root)),
  message,
  connectionEnd,
  eras,
  nodes,
  ...charts.map((chart) => drawingOf(root, chart)),
  costs(root)
]

/** The file of a drawing, from the root. */
export const fileOf = ({ name }: Drawing): string => `docs/images/${name}.svg`

/** The packages that each package needs, without those that it has through another. */
const neighboursOf = (root: string): Readonly<Record<string, ReadonlyArray<string>>> => {
  const needs = new Map(packages.map((name) => {
    const { dependencies = {} } = JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8"))
    return [name, packages.filter((other) => Object.hasOwn(dependencies, `@parley/${other}`))]
  }))
  const reaches = (name: string, other: string): boolean =>
    (needs.get(name) ?? []).some((needed) => needed === other || reaches(needed, other))
  return Object.fromEntries(
    Array.from(needs, ([name, all]) => [name, all.filter((one) => !all.some((other) => reaches(other, one)))])
  )
}
