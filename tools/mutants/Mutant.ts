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
  const files = filesOf(root)
  return modules.flatMap((module) => flatten(module.default)).map((mutant) => located(root, mutant, files))
}

/** The mutant with the file that it patches in the place of a folder. */
export const located = (root: string, mutant: Mutant, { below, read } = filesOf(root)): Mutant => {
  const files = below(mutant.file).filter((file) => occurrences(read(file), mutant.find) > 0)
  return files.length === 1 ? { ...mutant, file: files[0]! } : mutant
}

export const flatten = ({ file, mutants, test }: Mutants): ReadonlyArray<Mutant> =>
  mutants.map((mutant) => ({ file, test, title: `promise ${mutant.promise}: `, ...mutant }))

/** The source under the mutant. */
export const patch = (text: string, { find, replace }: Mutant): string =>
  text.replace(patternOf(text, find), () => replace)

const patternOf = (text: string, find: string): RegExp =>
  new RegExp(piecesIn(text, find).map(RegExp.escape).join("\\s+"), "g")

/** What stands between blanks that may be any. */
const piecesIn = (text: string, find: string): ReadonlyArray<string> => text.includes(find) ? [find] : find.split(/\s+/)

/** Most texts lack a piece, and need no search for the pattern. */
const occurrences = (text: string, find: string): number =>
  piecesIn(text, find).every((piece) => text.includes(piece)) ? (text.match(patternOf(text, find))?.length ?? 0) : 0

/** The files below a folder, and their texts. Thousands of mutants name a few of them: each is looked for and read once. */
const filesOf = (root: string) => ({
  below: memoized((file): ReadonlyArray<string> =>
    file.endsWith(".ts") ? [file] : globSync(`${file}/**/*.ts`, { cwd: root })
  ),
  read: memoized((file) => existsSync(join(root, file)) ? readFileSync(join(root, file), "utf8") : "")
})

const memoized = <A>(make: (file: string) => A): (file: string) => A => {
  const made = new Map<string, A>()
  return (file) => {
    const known = made.get(file) ?? make(file)
    made.set(file, known)
    return known
  }
}

/** What is wrong with the mutants before any of them runs. */
export const problems = (root: string, mutants: ReadonlyArray<Mutant>): ReadonlyArray<string> => {
  const names = new Set<string>()
  const { below, read } = filesOf(root)
  return mutants.flatMap(({ file, find, name, replace, test, title }) => {
    const found: Array<string> = []
    const times = below(file).reduce((sum, path) => sum + occurrences(read(path), find), 0)
    if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) found.push("has a name that is not lower-case words joined by hyphens")
    if (names.has(name)) found.push("has the name of another")
    if (times !== 1) found.push(`finds its text ${times} times in ${file}`)
    if (find === replace) found.push("changes nothing")
    if (!read(test).includes(title)) found.push(`expects a test titled "${title}…" in ${test}`)
    names.add(name)
    return found.map((problem) => `${name} ${problem}`)
  })
}
