/** The official conformance suites, run as their own command, and what they have written down. */
import { Effect, type Scope } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"

export interface Scenario {
  readonly name: string
  /** Why the suite does not count it, such as `pending` or `extension`. */
  readonly unscored: string | undefined
  /** Each check, as in `SUCCESS tools-list` or `FAILURE tools-list: why`. */
  readonly checks: ReadonlyArray<string>
}

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "parley-suite-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
)

/** Runs a suite against a server, in the order of the scenarios' names. */
export const run = (
  version: "0.1" | "0.2",
  args: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<Scenario>, never, Scope.Scope> =>
  Effect.gen(function*() {
    const output = yield* folder
    const bin = new URL(`../../node_modules/mcp-conformance-${version}/dist/index.js`, import.meta.url).pathname
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, [bin, "server", ...args, "-o", output], { stdio: ["ignore", "pipe", "inherit"] })
      ),
      (child) => Effect.sync(() => void child.kill("SIGKILL"))
    )
    const exited = once(child, "exit")
    const stdout = yield* Effect.promise(() => text(child.stdout))
    yield* Effect.promise(() => exited)
    const unscored = new Map(
      Array.from(stdout.matchAll(/^ {2}[✓✗] (\S+) \((.+)\)$/gmu), ([, name, why]) => [name, why])
    )
    return readdirSync(output).sort().map((directory): Scenario => {
      const name = directory.replace(/^server-/, "").replace(/-\d{4}-\d\d-\d\dT[\dZ-]+$/, "")
      const checks: ReadonlyArray<{ readonly id: string; readonly status: string; readonly errorMessage?: string }> =
        JSON.parse(readFileSync(join(output, directory, "checks.json"), "utf8"))
      return {
        name,
        unscored: unscored.get(name),
        checks: checks.map(({ errorMessage, id, status }) =>
          `${status} ${id}${errorMessage === undefined ? "" : `: ${errorMessage}`}`
        )
      }
    })
  })
