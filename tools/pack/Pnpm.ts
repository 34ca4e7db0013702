import { execFileSync } from "node:child_process"
import { basename } from "node:path"

const running = process.env["npm_execpath"] ?? ""

/** The pnpm that runs us, else the one that npx finds: a program and its first arguments. */
export const pnpmPath = basename(running) === "pnpm" ? [running] as const : ["npx", "-y", "pnpm@12"] as const

/** The environment of a terminal. pnpm tells its scripts that nothing needs an install, which holds for its own project. */
export const environment: NodeJS.ProcessEnv = { ...process.env }
delete environment["pnpm_config_verify_deps_before_run"]

/** Runs pnpm; returns what it prints. */
export const pnpm = (cwd: string, ...args: ReadonlyArray<string>): string => {
  const [file, ...first] = pnpmPath
  return execFileSync(file, [...first, ...args], {
    cwd,
    env: environment,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"]
  })
}
