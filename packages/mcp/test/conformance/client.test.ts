/**
 * Our client against the conformance suites, offline, each scenario with a process of the suite and one of ours.
 *
 * The slow tests run every scenario for each suite that has it. The ordinary ones run a few of each suite.
 *
 * Left out by the prefix of their names: `auth/`, for there is no OAuth here, and `sep-2640-`, an extension for skills
 * whose checks the suite skips where a client does not offer it.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const here = fileURLToPath(new URL(".", import.meta.url))

const leftOut = ["auth/", "sep-2640-"]

/**
 * Milliseconds, for a machine with much else to do. The suites end a client after 30 seconds, in which forty-eight scenarios
 * at once have not even started their processes.
 */
const patience = 90_000

interface Ended {
  readonly code: unknown
  readonly out: string
  readonly error: string
}

interface Check {
  readonly id: string
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO"
  readonly errorMessage?: string
}

/** Runs the command line of a suite. */
const suite = (name: string, args: ReadonlyArray<string>) => {
  const program = join(dirname(here), "../node_modules", name, "dist/index.js")
  const loopback = join(here, "support/loopback.ts")
  return Effect.callback<Ended>((resume) => {
    const child = execFile(process.execPath, ["--import", loopback, program, ...args], (error, out, said) => {
      resume(Effect.succeed({ code: error === null ? 0 : error.code, out, error: said }))
    })
    return Effect.sync(() => child.kill("SIGKILL"))
  })
}

/** The scenarios for clients that a suite lists, less those that are left out. */
const listed = (name: string, args: ReadonlyArray<string>) =>
  Effect.map(
    suite(name, ["list", ...args]),
    ({ out }) =>
      out.slice(out.indexOf("Client scenarios")).split("\n").flatMap((line) => {
        const scenario = /^ +- (\S+)(?: \[(?!server\]).*\])?$/.exec(line)?.[1]
        return scenario === undefined || leftOut.some((prefix) => scenario.startsWith(prefix)) ? [] : [scenario]
      })
  )

/** What a suite has against our client in a scenario; nothing where all is well. */
const complaints = (name: string, scenario: string, more: ReadonlyArray<string>) => {
  const command = `${process.execPath} ${join(here, "client.ts")}`
  const args = [
    "client",
    "--command",
    command,
    "--scenario",
    scenario,
    "--verbose",
    "--timeout",
    `${patience}`,
    ...more
  ]
  return Effect.map(suite(name, args), ({ code, error, out }) => {
    if (!out.includes("[")) return [error]
    const checks: ReadonlyArray<Check> = JSON.parse(out.slice(out.indexOf("[\n"), out.lastIndexOf("]") + 1))
    const bad = checks.filter(({ status }) => status === "FAILURE" || status === "WARNING")
    const said = bad.map(({ errorMessage, id }) => `${id}: ${errorMessage}`)
    if (code !== 0) said.push(`it ended with ${String(code)}: ${error}`)
    if (!checks.some(({ status }) => status === "SUCCESS")) said.push("it checked nothing")
    return said
  })
}

const conforms = (
  name: string,
  list: ReadonlyArray<string>,
  expected: ReadonlyArray<string>,
  more: ReadonlyArray<string> = [],
  chosen = expected
) =>
  Effect.gen(function*() {
    assert.deepStrictEqual((yield* listed(name, list)).toSorted(), expected.toSorted())
    const found = yield* Effect.forEach(
      chosen,
      (scenario) => Effect.map(complaints(name, scenario, more), (said) => ({ scenario, said })),
      { concurrency: 2 }
    )
    assert.deepStrictEqual(found, chosen.map((scenario) => ({ scenario, said: [] })))
  })

const isFull = process.env["SLOW"] === "1"

const all = isFull ? "every scenario without authorization" : "some scenarios"

const legacy = ["initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry"]

describe("our client in the conformance suites", () => {
  it.live(
    `passes ${all} of version 0.1.16`,
    () => conforms("mcp-conformance-0.1", ["--client"], legacy, [], isFull ? legacy : ["initialize"]),
    patience
  )

  it.live(
    `passes ${all} of version 0.2 for 2025-11-25, and the one beyond the score`,
    () =>
      conforms(
        "mcp-conformance-0.2",
        ["--requirements", "2025-11-25"],
        [...legacy, "json-schema-2020-12-preservation"],
        ["--spec-version", "2025-11-25"],
        isFull ? undefined : ["sse-retry"]
      ),
    patience
  )

  it.live(
    `passes ${all} of version 0.2 for 2026-07-28, and the one beyond the score`,
    () =>
      conforms(
        "mcp-conformance-0.2",
        ["--requirements", "2026-07-28"],
        [
          "tools_call",
          "request-metadata",
          "sep-2322-client-request-state",
          "http-standard-headers",
          "http-custom-headers",
          "http-invalid-tool-headers",
          "json-schema-ref-no-deref",
          "json-schema-2020-12-preservation"
        ],
        ["--spec-version", "2026-07-28"],
        isFull ? undefined : ["request-metadata", "http-custom-headers", "json-schema-2020-12-preservation"]
      ),
    patience
  )
})
