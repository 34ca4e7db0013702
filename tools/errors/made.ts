/** The errors that the packages' examples make. */
import { globSync } from "node:fs"
import { join } from "node:path"
import type { Examples } from "./Example.ts"

/** Package → its examples. */
export const load = async (root: string): Promise<ReadonlyMap<string, Examples>> => {
  const paths = globSync("packages/*/test/errors.ts", { cwd: root }).toSorted()
  const modules: ReadonlyArray<{ readonly default: Examples }> = await Promise.all(
    paths.map((path) => import(join(root, path)))
  )
  return new Map(modules.map((module, at) => [paths[at]!.split("/")[1]!, module.default]))
}

/** The error that an example has made: itself, the failure of a result, or that of an exit. */
export const errorIn = (made: unknown): Error | undefined => {
  if (made instanceof Error) return made
  if (typeof made !== "object" || made === null) return undefined
  if ("failure" in made) return errorIn(made.failure)
  const reasons = "cause" in made && typeof made.cause === "object" && made.cause !== null && "reasons" in made.cause
    ? made.cause.reasons
    : undefined
  const [first] = Array.isArray(reasons) ? reasons : []
  return typeof first === "object" && first !== null && "error" in first ? errorIn(first.error) : undefined
}
