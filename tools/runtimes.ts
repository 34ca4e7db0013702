/** Bun and Deno, from npm. Where the package of this platform is missing, the name says so. */
import { spawnSync } from "node:child_process"
import { createRequire } from "node:module"
import { join } from "node:path"

const installed = createRequire(join(import.meta.dirname, "../packages/cli/package.json"))

/** The program itself, which its package has from another one, of the platform. */
const programOf = (name: string, place: string): string | undefined => {
  try {
    return createRequire(installed.resolve(`${name}/package.json`)).resolve(place)
  } catch {
    return undefined
  }
}

const { arch, platform } = process
const cpu = arch === "arm64" ? "aarch64" : arch
const suffix = platform === "win32" ? ".exe" : ""
const glibc = platform === "linux" ? "-glibc" : ""

export const runtimes = [
  { name: "Bun", program: programOf("bun", `@oven/bun-${platform}-${cpu}/bin/bun${suffix}`), args: [] },
  {
    name: "Deno",
    program: programOf("deno", `@deno/${platform}-${arch}${glibc}/deno${suffix}`),
    args: ["run", "--allow-all"]
  }
].map(({ args, name, program }) => {
  const isThere = program !== undefined && spawnSync(program, ["--version"]).status === 0
  return {
    name: isThere ? name : `${name} (needs the package of this platform)`,
    /** The command that runs a file. */
    runtime: isThere ? [program, ...args] as const : undefined
  }
})
