/** A page as a newcomer follows it: its packages are installed into an empty project, and its code blocks are files there. */
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { install, type Published, typeCheckFiles } from "../pack/Published.ts"
import { type Fence, printedBy } from "./Fence.ts"
import { fileOf } from "./Modules.ts"
import { freePort, listening } from "./ports.ts"

export interface Project {
  readonly folder: string
  readonly fences: ReadonlyArray<Fence>
}

/** Installs what the lines `npm install …` of a page name, and writes its code blocks. */
export const open = (root: string, packages: ReadonlyArray<Published>, fences: ReadonlyArray<Fence>): Project => {
  const folder = install(root, packages, fences.filter(({ language }) => language === "bash").flatMap(installedBy))
  const modules = fences.filter(({ language }) => language === "ts")
  for (const fence of modules) writeFileSync(join(folder, fileIn(fence)), fence.code)
  return { folder, fences: modules }
}

/** The packages that the commands of a block install. */
export const installedBy = ({ code }: Fence): ReadonlyArray<string> =>
  Array.from(code.matchAll(/^npm install (.*)$/gm), ([, names = ""]) => names.split(" "))
    .flat().filter((name) => !name.startsWith("-"))

/** The file of a block in its project. One that has tests is found by the test runner. */
const fileIn = (fence: Fence): string => isTest(fence) ? fileOf(fence).replace(/\.ts$/, ".test.ts") : fileOf(fence)

export const isTest = ({ code }: Fence): boolean => code.includes(`"@effect/vitest"`)

/** What the compiler has against the blocks, declarations of dependencies included: nothing, when all is well. */
export const compile = (root: string, { fences, folder }: Project): string =>
  typeCheckFiles(root, folder, fences.map(fileIn), ["node"])

/** Runs the blocks that are to be run; returns the lines that each prints, and those that it says. */
export const runAll = ({ fences, folder }: Project) => {
  const blocks = fences.filter(({ run }) => run)
  const run = (fence: Fence) => execFileSync(process.execPath, [fileIn(fence)], { cwd: folder, encoding: "utf8" })
  return { printed: blocks.map((fence) => run(fence).trimEnd().split("\n")), expected: blocks.map(printedBy) }
}

/**
 * Runs a block that exports a `server` and a `program`: in one process this line, and in another, when the first listens,
 * that one. A free port stands in for the one it names. Returns what the second prints.
 */
export const serveAndCall = async (
  { folder }: Project,
  fence: Fence,
  { call, port, serve }: { readonly port: number; readonly serve: string; readonly call: string }
): Promise<string> => {
  const free = await freePort()
  writeFileSync(join(folder, fileIn(fence)), fence.code.replaceAll(String(port), String(free)))
  const evaluating = (code: string) => [
    "--input-type=module",
    "--eval",
    `import { Effect, Layer } from "effect"\nimport { program, server } from "./${fileIn(fence)}"\n${code}`
  ]
  const server = spawn(process.execPath, evaluating(serve), { cwd: folder, stdio: ["ignore", "ignore", "inherit"] })
  const ended = once(server, "exit")
  try {
    await listening(free, () => server.exitCode !== null || server.signalCode !== null)
    return execFileSync(process.execPath, evaluating(call), { cwd: folder, encoding: "utf8" })
  } finally {
    server.kill()
    await ended
  }
}
