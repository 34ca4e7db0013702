/**
 * A mutant is a small patch that breaks a promise, to prove that the promise's test would notice.
 *
 * `packages/<package>/mutants/<Module>.ts` holds the mutants of one source file, as its default export:
 *
 * ```
 * import type { Mutants } from "../../../tools/mutants/Mutant.ts"
 *
 * export default {
 *   file: "packages/peer/src/Correlator.ts",
 *   test: "packages/peer/test/Correlator.test.ts",
 *   mutants: [
 *     { name: "settled-call-keeps-waiting", promise: 7, find: `waiting.delete(id)`, replace: `` }
 *   ]
 * } satisfies Mutants
 * ```
 */
import { existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { PromiseNumber } from "./promises.ts"

export interface Mutants {
  /** The source file to patch, from the root. */
  readonly file: string
  /** The test file that must notice, from the root. It runs in this process: a child process runs the file as it is. */
  readonly test: string
  readonly mutants: ReadonlyArray<{
    /** Lower-case words joined by hyphens, unique in the repository. */
    readonly name: string
    readonly promise: PromiseNumber
    /** Text that occurs exactly once in the file. */
    readonly find: string
    readonly replace: string
    /** The test file of this one, where it is another. */
    readonly test?: string
    /** The beginning of the titles of the tests of which one must go red; `promise N: ` where it is absent. */
    readonly title?: string
  }>
}

/** One mutant, complete. */
export interface Mutant {
  readonly name: string
  readonly promise: PromiseNumber
  readonly file: string
  readonly find: string
  readonly replace: string
  readonly test: string
  readonly title: string
}

export const load = async (root: string): Promise<ReadonlyArray<Mutant>> => {
  const paths = globSync("packages/*/mutants/*.ts", { cwd: root }).toSorted()
  const modules: ReadonlyArray<{ readonly default: Mutants }> = await Promise.all(
    paths.map((path) => import(join(root, path)))
  )
  return modules.flatMap((module) => flatten(module.default))
}

export const flatten = ({ file, mutants, test }: Mutants): ReadonlyArray<Mutant> =>
  mutants.map((mutant) => ({ file, test, title: `promise ${mutant.promise}: `, ...mutant }))

/** What is wrong with the mutants before any of them runs. */
export const problems = (root: string, mutants: ReadonlyArray<Mutant>): ReadonlyArray<string> => {
  const read = (path: string) => existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : ""
  const names = new Set<string>()
  return mutants.flatMap(({ file, find, name, replace, test, title }) => {
    const found: Array<string> = []
    const occurrences = read(file).split(find).length - 1
    if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) found.push("has a name that is not lower-case words joined by hyphens")
    if (names.has(name)) found.push("has the name of another")
    if (occurrences !== 1) found.push(`finds its text ${occurrences} times in ${file}`)
    if (find === replace) found.push("changes nothing")
    if (!read(test).includes(title)) found.push(`expects a test titled "${title}…" in ${test}`)
    names.add(name)
    return found.map((problem) => `${name} ${problem}`)
  })
}
