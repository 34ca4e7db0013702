import { execFileSync } from "node:child_process"
import { basename } from "node:path"

/** Runs the pnpm that runs us, else the one that npx finds; returns what it prints. */
export const pnpm = (cwd: string, ...args: ReadonlyArray<string>): string => {
  const running = process.env["npm_execpath"] ?? ""
  const [file, first] = basename(running) === "pnpm" ? [running, []] : ["npx", ["-y", "pnpm@12"]]
  return execFileSync(file, [...first, ...args], { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })
}
