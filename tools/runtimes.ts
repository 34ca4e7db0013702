/** Bun and Deno from npm: each package has the program itself from another one, of the platform. */
import { spawnSync } from "node:child_process"
import { createRequire } from "node:module"
import { join } from "node:path"

const { arch, platform } = process
const cpu = arch === "arm64" ? "aarch64" : arch
const suffix = platform === "win32" ? ".exe" : ""
const glibc = platform === "linux" ? "-glibc" : ""

const places = {
  bun: `@oven/bun-${platform}-${cpu}/bin/bun${suffix}`,
  deno: `@deno/${platform}-${arch}${glibc}/deno${suffix}`
}

const cli = join(import.meta.dirname, "../packages/cli/package.json")

/** The path of the program: `undefined` where it does not run on this platform. */
export const programOf = (name: keyof typeof places): string | undefined => {
  try {
    const program = createRequire(createRequire(cli).resolve(`${name}/package.json`)).resolve(places[name])
    return spawnSync(program, ["--version"]).status === 0 ? program : undefined
  } catch {
    return undefined
  }
}

/** Both, with the command that runs a file. Where the package of this platform is missing, the name says so. */
export const runtimes = [
  { name: "Bun", program: programOf("bun"), args: [] },
  { name: "Deno", program: programOf("deno"), args: ["run", "--allow-all"] }
].map(({ args, name, program }) => ({
  name: program === undefined ? `${name} (needs the package of this platform)` : name,
  runtime: program === undefined ? undefined : [program, ...args] as const
}))
