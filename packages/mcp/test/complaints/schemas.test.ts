import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { execFile } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../../../../", import.meta.url))
const fixtures = fileURLToPath(new URL("fixtures/", import.meta.url))

const run = (command: string, args: ReadonlyArray<string>) =>
  Effect.callback<{ readonly code: unknown; readonly stdout: string; readonly stderr: string }>((resume) => {
    const child = execFile(
      command,
      args,
      (error, stdout, stderr) => resume(Effect.succeed({ code: error?.code ?? 0, stdout, stderr }))
    )
    return Effect.sync(() => void child.kill("SIGKILL"))
  })

/** How many types the compiler makes of a file, which must be right. */
const instantiations = (file: string): Effect.Effect<number, never, Scope.Scope> =>
  Effect.gen(function*() {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "types-"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
    )
    const compilerOptions = {
      composite: false,
      incremental: false,
      declaration: false,
      declarationMap: false,
      noEmit: true,
      rewriteRelativeImportExtensions: false,
      allowImportingTsExtensions: true
    }
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({ extends: join(root, "tsconfig.base.json"), compilerOptions, files: [join(fixtures, file)] })
    )
    const tsc = join(root, "node_modules/.bin/tsc")
    // Each checker would know all declarations of Effect for itself.
    const args = ["-p", folder, "--checkers", "1", "--extendedDiagnostics", "--pretty", "false"]
    const { code, stdout } = yield* run(tsc, args)
    assert.strictEqual(code, 0, stdout)
    return Number(/^Instantiations: +(\d+)$/m.exec(stdout)?.[1])
  })

/** The packages that are installed with one, by what their manifests say they depend on. */
const installedWith = (folder: string, found = new Map<string, string>()): ReadonlyMap<string, string> => {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })) {
    if (found.has(name)) continue
    // A package that hides its manifest is found where its name leads.
    const target = join(folder, "node_modules", name)
    found.set(name, target)
    installedWith(target, found)
  }
  return found
}

describe("complaint 10: schemas make the compiler slow, or give up", () => {
  it.live("a tool with sixty arguments costs it little more than one with one", () =>
    Effect.gen(function*() {
      const [one, many] = yield* Effect.all([instantiations("oneParam.ts"), instantiations("manyParams.ts")], {
        concurrency: 2
      })
      assert.isAbove(many, one)
      assert.isBelow(many - one, 10_000)
    }))
})

describe("complaint 11: everything depends on zod and ajv", () => {
  it("nothing is installed with the package but Effect, its own kin, and what seals state", () => {
    const names = [...installedWith(dirname(fileURLToPath(new URL("../", import.meta.url)))).keys()].toSorted()
    assert.deepStrictEqual(names, [
      "@parley/contract",
      "@parley/http",
      "@parley/json-schema",
      "@parley/mesh",
      "@parley/middleware",
      "@parley/oauth",
      "@parley/peer",
      "@parley/protocol",
      "@parley/transport",
      "effect",
      // It has no dependencies of its own.
      "jose"
    ])
  })

  it.live("a server and its schemas work where code cannot be made of text", () =>
    Effect.gen(function*() {
      const guarded = ["--disallow-code-generation-from-strings", join(fixtures, "guarded.ts")]
      const { stderr, stdout } = yield* run(process.execPath, guarded)
      assert.deepStrictEqual([stdout, stderr], ["{\"sum\":3} ToolError\n", ""])
    }))
})
