/** Which mutants a run tries: those whose hashes with the seed come first. */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"

export const draw = <A>(
  all: ReadonlyArray<A>,
  size: number,
  seed: string,
  nameOf: (item: A) => string
): ReadonlyArray<A> => {
  const hash = (item: A) => createHash("sha256").update(`${seed}\n${nameOf(item)}`).digest("hex")
  return all
    .map((item) => ({ item, hash: hash(item) }))
    .toSorted((a, b) => (a.hash < b.hash ? -1 : 1))
    .slice(0, size)
    .map(({ item }) => item)
}

/** `MUTANTS_SEED`, else the commit: each commit tries others, and the same commit tries the same. */
export const seedOf = (root: string): string => {
  const given = process.env["MUTANTS_SEED"]
  if (given !== undefined) return given
  try {
    return execFileSync("git", ["rev-parse", "--short=12", "HEAD"], { cwd: root, encoding: "utf8" }).trim()
  } catch {
    return "no commit"
  }
}
