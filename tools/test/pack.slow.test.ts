import { afterAll, assert, describe, it } from "@effect/vitest"
import { execFileSync, spawnSync } from "node:child_process"
import { globSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { collect } from "../docs/Fence.ts"
import * as Project from "../docs/Project.ts"
import { execute, install, pack, typeCheck } from "../pack/Published.ts"

const root = join(import.meta.dirname, "../..")
const packages = pack(root)
const specifiers = packages.flatMap((published) => published.specifiers)

/** For a machine with much else to do. */
const timeout = 300_000

describe("what would be published", { timeout }, () => {
  const brought = ["effect", "@effect/platform-node", "@types/node"]
  const consumer = install(root, packages, [...packages.map(({ name }) => name), ...brought])

  afterAll(() => rmSync(consumer, { recursive: true, force: true }))

  it("runs the examples of the command in the project that has it", () => {
    const args = ["@parley/cli", "mcp", "call", "stdio:parley mcp serve --stdio", "add", "a=1", "b=2"]
    assert.strictEqual(execFileSync("npx", args, { cwd: consumer, encoding: "utf8" }), "{\"sum\":3}\n")
  })

  it("type-checks, declarations of dependencies included, those that know no Node.js without its types", () => {
    const neutral = specifiers.filter((specifier) => !/^@parley\/(node|cli)(\/|$)/.test(specifier))
    assert.isBelow(neutral.length, specifiers.length)
    assert.strictEqual(typeCheck(root, consumer, neutral, []), "")
    assert.strictEqual(typeCheck(root, consumer, specifiers, ["node"]), "")
  })
})

describe("the command alone", { timeout }, () => {
  const folder = install(root, packages, ["@parley/cli", "effect"])

  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it("brings the clients of neither NATS nor Redis, and says what the first needs", () => {
    const brought = globSync("node_modules/.pnpm/{*nats*,*redis*}", { cwd: folder })
    assert.deepStrictEqual(brought, [])
    const { status, stderr } = spawnSync(join(folder, "node_modules/.bin/parley"), [
      "call",
      "nats://127.0.0.1:1/a",
      "b"
    ], {
      encoding: "utf8"
    })
    assert.strictEqual(status, 2)
    assert.include(stderr, "@parley/nats is not installed: run `npm install @parley/nats`")
  })
})

describe("what the first page says to install", { timeout }, () => {
  const readme = Project.open(root, packages, collect(root).filter(({ path }) => path === "README.md"))

  afterAll(() => rmSync(readme.folder, { recursive: true, force: true }))

  it("is what its code needs", () => {
    assert.strictEqual(Project.compile(root, readme), "")
    const { expected, printed } = Project.runAll(readme)
    assert.deepStrictEqual(printed, expected)
  })

  it("runs the first program, server and client", async () => {
    const program = readme.fences.find(({ code }) => code.includes("export const server"))!
    const printed = await Project.serveAndCall(readme, program, {
      port: 4000,
      serve: "await Effect.runPromise(Layer.launch(server))",
      call: "console.log(await Effect.runPromise(program))"
    })
    assert.strictEqual(printed, "7\n")
  })
})

describe("what the page of the conformance kit says to install", { timeout }, () => {
  const page = "packages/conformance/README.md"
  const project = Project.open(root, packages, collect(root).filter(({ path }) => path === page))

  afterAll(() => rmSync(project.folder, { recursive: true, force: true }))

  it("is what its code needs", () => {
    assert.strictEqual(Project.compile(root, project), "")
    const { expected, printed } = Project.runAll(project)
    assert.deepStrictEqual(printed, expected)
  })

  it("runs the laws in the time that a test runner gives by default", () => {
    const report = join(project.folder, "report.json")
    execute(project.folder, "vitest", "run", "--reporter=json", `--outputFile=${report}`)
    const { numFailedTests, numPassedTests } = JSON.parse(readFileSync(report, "utf8"))
    assert.strictEqual(numFailedTests, 0)
    assert.isAbove(numPassedTests, 50)
  })
})
