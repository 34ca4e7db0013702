/**
 * A mutant is a small patch that breaks a promise, to prove that the promise's test would notice.
 *
 * `packages/<package>/mutants/<Module>.ts` holds the mutants of one source file, as its default export, and may stand in a
 * room there:
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
  /** The source file to patch, from the root; or a folder, where it is the one file below it that has the text. */
  readonly file: string
  /** The test file that must notice, from the root. It runs in this process: a child process runs the file as it is. */
  readonly test: string
  readonly mutants: ReadonlyArray<{
    /** Lower-case words joined by hyphens, unique in the repository. */
    readonly name: string
    readonly promise: PromiseNumber
    /** Text that occurs exactly once in the file. Where it does not, any blanks will do for its blanks. */
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
  const paths = globSync("packages/*/mutants/**/*.ts", { cwd: root }).toSorted()
  const modules: ReadonlyArray<{ readonly default: Mutants }> = await Promise.all(
    paths.map((path) => import(join(root, path)))
  )
  return modules.flatMap((module) => flatten(module.default)).map((mutant) => located(root, mutant))
}

/** The mutant with the file that it patches in the place of a folder. */
export const located = (root: string, mutant: Mutant): Mutant => {
  const files = filesOf(root, mutant.file).filter((file) => occurrences(read(root, file), mutant.find) > 0)
  return files.length === 1 ? { ...mutant, file: files[0]! } : mutant
}

export const flatten = ({ file, mutants, test }: Mutants): ReadonlyArray<Mutant> =>
  mutants.map((mutant) => ({ file, test, title: `promise ${mutant.promise}: `, ...mutant }))

/** The source under the mutant. */
export const patch = (text: string, { find, replace }: Mutant): string =>
  text.replace(patternOf(text, find), () => replace)

const patternOf = (text: string, find: string): RegExp => {
  const pieces = text.includes(find) ? [find] : find.split(/\s+/)
  return new RegExp(pieces.map(RegExp.escape).join("\\s+"), "g")
}

const occurrences = (text: string, find: string): number => text.match(patternOf(text, find))?.length ?? 0

const filesOf = (root: string, file: string): ReadonlyArray<string> =>
  file.endsWith(".ts") ? [file] : globSync(`${file}/**/*.ts`, { cwd: root })

const read = (root: string, path: string): string =>
  existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : ""

/** What is wrong with the mutants before any of them runs. */
export const problems = (root: string, mutants: ReadonlyArray<Mutant>): ReadonlyArray<string> => {
  const names = new Set<string>()
  return mutants.flatMap(({ file, find, name, replace, test, title }) => {
    const found: Array<string> = []
    const times = filesOf(root, file).reduce((sum, path) => sum + occurrences(read(root, path), find), 0)
    if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) found.push("has a name that is not lower-case words joined by hyphens")
    if (names.has(name)) found.push("has the name of another")
    if (times !== 1) found.push(`finds its text ${times} times in ${file}`)
    if (find === replace) found.push("changes nothing")
    if (!read(root, test).includes(title)) found.push(`expects a test titled "${title}…" in ${test}`)
    names.add(name)
    return found.map((problem) => `${name} ${problem}`)
  })
}
