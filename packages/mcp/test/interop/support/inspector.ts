/** The command line of the official Inspector. */
import { Effect, type Scope } from "effect"
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as places from "./places.ts"

/** The program that the package calls `mcp-inspector`. Its own exports say nothing of it. */
const bin = fileURLToPath(
  new URL("../../../node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js", import.meta.url)
)

export interface Outcome {
  readonly code: unknown
  readonly said: { readonly result?: unknown; readonly error?: { readonly message: string } }
}

/** Runs the command line of the inspector, at home in a folder of its own. */
export const inspect = (args: ReadonlyArray<string>): Effect.Effect<Outcome, never, Scope.Scope> =>
  Effect.gen(function*() {
    const home = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "inspector-"))),
      (home) => Effect.sync(() => rmSync(home, { recursive: true }))
    )
    const env = { ...places.command.env, HOME: home, PATH: process.env["PATH"] }
    return yield* Effect.callback<Outcome>((resume) => {
      const child = execFile(
        process.execPath,
        [bin, "--cli", "--format", "json", "--quiet", ...args],
        { env },
        (error, stdout, stderr) =>
          resume(Effect.sync(() => ({ code: error?.code ?? 0, said: JSON.parse(stdout === "" ? stderr : stdout) })))
      )
      return Effect.sync(() => void child.kill("SIGKILL"))
    })
  })
