/** The code blocks as modules in a folder that git ignores, where they resolve packages as the sources do. */
import { spawn, spawnSync } from "node:child_process"
import { globSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { text } from "node:stream/consumers"
import type { Fence } from "./Fence.ts"

/** The file of a block. Its lines have the numbers they have in the page. Those that are named share a folder. */
export const fileOf = ({ file, line, path }: Fence): string => {
  const page = path.replaceAll(/[^A-Za-z0-9]+/g, "-")
  return file === undefined ? `${page}-${line}.ts` : `${page}/${file}`
}

export const write = (root: string, folder: string, fences: ReadonlyArray<Fence>): void => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const fence of fences) {
    const file = join(folder, fileOf(fence))
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, "\n".repeat(fence.line) + fence.code + "\n")
  }
  const config = {
    extends: join(root, "tsconfig.base.json"),
    compilerOptions: {
      composite: false,
      declaration: false,
      declarationMap: false,
      noEmit: true,
      // A page may end with a definition that nobody uses yet.
      noUnusedLocals: false,
      types: ["node"]
    },
    include: ["**/*.ts"],
    references: fences.some(({ code }) => code.includes("@parley/")) ? projects(root) : []
  }
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config, undefined, 2))
}

const projects = (root: string) =>
  globSync("packages/*/tsconfig.json", { cwd: root }).map((path) => ({ path: join(root, path) }))

/** What the compiler says, by file; what it says of other files is under the empty name. */
export const compile = (root: string, folder: string): ReadonlyMap<string, ReadonlyArray<string>> => {
  const tsc = join(root, "node_modules/.bin/tsc")
  // Most of the work is to know the declarations of Effect, which each checker does for itself.
  const args = ["-b", "--checkers", "1", "--pretty", "false"]
  const { stdout } = spawnSync(tsc, args, { cwd: folder, encoding: "utf8" })
  const errors = stdout.split("\n").filter((line) => line.includes("error TS"))
  const file = (line: string) => /^([^(]+\.ts)\(/.exec(line)?.[1] ?? ""
  return Map.groupBy(errors, (line) => file(line).startsWith("../") ? "" : file(line))
}

export interface Outcome {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs blocks one after the other, as few processes as they leave alone: each ends those that call `process.exit`. */
export const execute = async (
  root: string,
  folder: string,
  fences: ReadonlyArray<Fence>
): Promise<ReadonlyArray<Outcome>> => {
  const commands = [join(import.meta.dirname, "commands"), join(root, "node_modules/.bin"), process.env["PATH"]]
  const outcomes: Array<Outcome> = []
  while (outcomes.length < fences.length) {
    const files = fences.slice(outcomes.length).map((fence) => join(folder, fileOf(fence)))
    const child = spawn(process.execPath, [join(import.meta.dirname, "blocks.ts"), JSON.stringify(files)], {
      cwd: root,
      env: { ...process.env, PATH: commands.join(":") },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 20_000 + 2_000 * files.length
    })
    const exit = new Promise<number | null>((resolve) => child.on("close", resolve))
    const [, stdout, stderr] = await Promise.all([exit, text(child.stdout), text(child.stderr)])
    const [said, warned] = [partsOf(stdout), partsOf(stderr)]
    for (const [index, { code, text }] of said.entries()) {
      outcomes.push({ exitCode: code, stdout: text, stderr: warned[index]?.text ?? "" })
    }
    // What has not ended is not run again.
    const left = { exitCode: null, stdout, stderr: `${stderr}\nit did not end` }
    if (said.length === 0) outcomes.push(left)
  }
  return outcomes
}

/** What stands before each mark of an end. */
const partsOf = (text: string): ReadonlyArray<{ readonly code: number; readonly text: string }> =>
  Array.from(text.matchAll(/([^\0]*)\0(\d+)\n/g), ([, text = "", code]) => ({ code: Number(code), text }))
