/**
 * Our client against the conformance suites, offline, each scenario with a process of the suite and one of ours.
 *
 * Left out by its name is the one of 0.1.16 that wants a client to accept a document of
 * `/.well-known/oauth-authorization-server` that names another issuer than the one that it was asked for, which RFC 8414,
 * section 3.3, forbids. Version 0.2 has mended that scenario.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const here = fileURLToPath(new URL(".", import.meta.url))

const broken = "auth/2025-03-26-oauth-metadata-backcompat"

const isAuth = (scenario: string) => scenario.startsWith("auth/")

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
        return scenario === undefined ? [] : [scenario]
      })
  )

/** What a suite has against our client in a scenario; nothing where all is well. */
const complaints = (name: string, scenario: string, more: ReadonlyArray<string>, within: number) => {
  const command = `${process.execPath} ${join(here, "client.ts")}`
  const args = [
    "client",
    "--command",
    command,
    "--scenario",
    scenario,
    "--verbose",
    "--timeout",
    `${within}`,
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
  more: ReadonlyArray<string> = []
) =>
  Effect.gen(function*() {
    const all = yield* listed(name, list)
    assert.deepStrictEqual(all.filter((scenario) => !isAuth(scenario)).toSorted(), expected.toSorted())
    yield* passes(name, expected, more)
  })

const passes = (
  name: string,
  chosen: ReadonlyArray<string>,
  more: ReadonlyArray<string>,
  concurrency = 2,
  within = patience
) =>
  Effect.gen(function*() {
    const found = yield* Effect.forEach(
      chosen,
      (scenario) => Effect.map(complaints(name, scenario, more, within), (said) => ({ scenario, said })),
      { concurrency }
    )
    assert.deepStrictEqual(found, chosen.map((scenario) => ({ scenario, said: [] })))
  })

const old = "mcp-conformance-0.1"

const legacy = ["initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry"]

const modern = [
  "tools_call",
  "request-metadata",
  "sep-2322-client-request-state",
  "http-standard-headers",
  "http-custom-headers",
  "http-invalid-tool-headers",
  "json-schema-ref-no-deref",
  "json-schema-2020-12-preservation"
]

/** The scenarios beyond the revisions. The suite runs them where no revision is named. */
const extensions = [
  "auth/client-credentials-jwt",
  "auth/client-credentials-basic",
  "auth/enterprise-managed-authorization",
  "auth/dpop",
  "auth/dpop-nonce",
  "auth/wif-jwt-bearer"
]

/** The scenarios of authorization. */
const authorizes = (
  name: string,
  list: ReadonlyArray<string>,
  count: number,
  more: ReadonlyArray<string> = []
) =>
  Effect.gen(function*() {
    const all = (yield* listed(name, list)).filter((scenario) =>
      isAuth(scenario) && !(name === old && scenario === broken) &&
      !(more.length > 0 && extensions.includes(scenario))
    )
    assert.strictEqual(all.length, count)
    yield* passes(name, all, more)
  })

describe("our client in the conformance suites", () => {
  it.live(
    "passes every scenario without authorization of version 0.1.16",
    () => conforms(old, ["--client"], legacy),
    patience
  )

  it.live(
    "passes every scenario of authorization of version 0.1.16",
    () => authorizes(old, ["--client"], 21),
    4 * patience
  )

  it.live(
    "passes every scenario of authorization of version 0.2, with the extensions",
    () => authorizes("mcp-conformance-0.2", ["--client"], 33),
    4 * patience
  )

  it.live(
    "passes every scenario of authorization of version 0.2 for 2025-11-25",
    () =>
      authorizes(
        "mcp-conformance-0.2",
        ["--requirements", "2025-11-25"],
        14,
        ["--spec-version", "2025-11-25"]
      ),
    4 * patience
  )

  it.live(
    "passes every scenario of authorization of version 0.2 for 2026-07-28",
    () =>
      authorizes(
        "mcp-conformance-0.2",
        ["--requirements", "2026-07-28"],
        25,
        ["--spec-version", "2026-07-28"]
      ),
    4 * patience
  )

  it.live(
    "passes every scenario without authorization of version 0.2 for 2025-11-25, and the one beyond the score",
    () =>
      conforms(
        "mcp-conformance-0.2",
        ["--requirements", "2025-11-25"],
        [...legacy, "json-schema-2020-12-preservation"],
        ["--spec-version", "2025-11-25"]
      ),
    patience
  )

  it.live(
    "passes every scenario without authorization of version 0.2 for 2026-07-28, and the one beyond the score",
    () =>
      conforms(
        "mcp-conformance-0.2",
        ["--requirements", "2026-07-28"],
        modern,
        ["--spec-version", "2026-07-28"]
      ),
    patience
  )

  it.live("passes every scenario of version 0.2 for skills", () =>
    Effect.gen(function*() {
      const all = (yield* listed("mcp-conformance-0.2", ["--client"])).filter((name) => name.startsWith("sep-2640-"))
      const what = ["no-prefetch", "verify-digest", "verify-size", "verify-frontmatter"]
      assert.deepStrictEqual(all, what.map((name) => `sep-2640-client-${name}`))
      yield* passes("mcp-conformance-0.2", all, [])
    }), patience)

  it.live("passes forty-eight scenarios of 2026-07-28 at once", () => {
    const chosen = Array.from({ length: 6 }, () => modern).flat()
    return passes("mcp-conformance-0.2", chosen, ["--spec-version", "2026-07-28"], chosen.length, 2 * patience)
  }, 4 * patience)
})
