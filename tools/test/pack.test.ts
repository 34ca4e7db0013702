import { afterAll, assert, describe, it } from "@effect/vitest"
import { existsSync, globSync, readFileSync, rmSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { execute, importAll, install, pack } from "../pack/Published.ts"
import { faults } from "../release/Tarball.ts"

const root = join(import.meta.dirname, "../..")
const packages = pack(root)
const brought = ["effect", "@effect/platform-node", "@types/node"]
const consumer = install(root, packages, [...packages.map(({ name }) => name), ...brought])
const specifiers = packages.flatMap((published) => published.specifiers)

afterAll(() => rmSync(consumer, { recursive: true, force: true }))

/** For a machine with much else to do. */
const timeout = 300_000

describe("what would be published", { timeout }, () => {
  for (const published of packages) {
    it(`${published.name} has no fault`, async () => {
      assert.deepStrictEqual(await faults(published), [])
    })
  }

  it("loads, every module of it, under plain Node", () => {
    const loaded = importAll(consumer, specifiers)
    for (const specifier of specifiers) assert.isNumber(loaded[specifier], `${specifier}: ${loaded[specifier]}`)
  })

  it("keeps its internal modules to itself", () => {
    const internal = packages.map(({ name }) => `${name}/internal/x`)
    const loaded = importAll(consumer, internal)
    for (const specifier of internal) assert.strictEqual<unknown>(loaded[specifier], "ERR_PACKAGE_PATH_NOT_EXPORTED")
  })

  it("brings the guides for coding agents", () => {
    for (const guide of ["peer/AGENTS.md", "peer/skills/parley/SKILL.md", "mcp/AGENTS.md"]) {
      assert.isTrue(existsSync(join(consumer, "node_modules/@parley", guide)), guide)
    }
  })

  it("brings every how-to, whose links lead to files beside it or to the network", () => {
    const guides = globSync("node_modules/@parley/{peer,mcp}/dist/guides/*.md", { cwd: consumer })
    const howTos = globSync("docs/how-to/*.md", { cwd: root })
    assert.sameMembers(guides.map((path) => basename(path)), howTos.map((path) => basename(path)))
    for (const guide of guides) {
      const text = readFileSync(join(consumer, guide), "utf8")
      for (const [, to = ""] of text.matchAll(/\]\((\.\.?\/[^()\s#]+|[^()\s#]+\.md)/g)) {
        assert.isTrue(to.startsWith("https://") || existsSync(join(consumer, dirname(guide), to)), `${guide}: ${to}`)
      }
    }
  })

  it("brings the parley command", () => {
    assert.include(execute(consumer, "parley", "--help"), "parley")
  })
})
