/** What the sample is drawn from, and the tests that must notice it. */
import { globSync } from "node:fs"
import { join } from "node:path"

export interface Target {
  readonly name: string
  /** Globs of the sources, from the root. */
  readonly sources: ReadonlyArray<string>
  /** Globs of the tests, from the root. */
  readonly tests: ReadonlyArray<string>
  /** How many mutants a run tries. */
  readonly size: number
  /** Whether a survivor that the list does not accept fails the run. */
  readonly isHeld: boolean
}

/**
 * Together about two minutes on two processors. A target is held when all its survivors have been read once: until then
 * each commit would meet others that nobody has looked at.
 */
export const targets: ReadonlyArray<Target> = [
  {
    name: "protocol",
    sources: ["packages/protocol/src/**/!(Weight).ts"],
    // Weights are compared with the memory of megabytes of JSON, each character of which a mutated source would count.
    tests: ["packages/protocol/test/**/!(Weight).test.ts"],
    size: 20,
    isHeld: false
  },
  {
    name: "peer and middleware",
    sources: ["packages/{peer,middleware}/src/**/*.ts"],
    tests: ["packages/{peer,middleware}/test/**/*.test.ts"],
    size: 15,
    isHeld: false
  },
  {
    name: "the HTTP servers of mcp",
    sources: ["packages/mcp/src/internal/http/server/**/*.ts", "packages/mcp/src/McpHttp.ts"],
    tests: ["packages/mcp/test/{http-server,complaints,acceptance}/**/*.test.ts"],
    size: 15,
    isHeld: false
  }
]

/** Every mutant of these files, against the tests that their target has, else those of their package. */
export const targetOf = (root: string, files: ReadonlyArray<string>): Target => {
  const holds = (target: Target) => {
    const sources = new Set(globSync(target.sources, { cwd: root }))
    return files.some((file) => sources.has(file))
  }
  const packages = files.map((file) => `${file.split("/").slice(0, 2).join("/")}/test/**/*.test.ts`)
  const tests = targets.find(holds)?.tests ?? [...new Set(packages)]
  return { name: files.join(" "), sources: files, tests, size: Number.MAX_SAFE_INTEGER, isHeld: true }
}

export const sourcesOf = (root: string, target: Target): ReadonlyArray<string> =>
  globSync(target.sources, { cwd: root }).filter((path) => !path.endsWith("/index.ts")).map((path) => join(path))
