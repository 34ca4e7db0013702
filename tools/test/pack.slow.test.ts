import { afterAll, assert, describe, it } from "@effect/vitest"
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { collect } from "../docs/Fence.ts"
import * as Project from "../docs/Project.ts"
import { execute, pack } from "../pack/Published.ts"

const root = join(import.meta.dirname, "../..")
const page = "packages/conformance/README.md"
const project = Project.open(root, pack(root), collect(root).filter(({ path }) => path === page))

afterAll(() => rmSync(project.folder, { recursive: true, force: true }))

describe("what the page of the conformance kit says to install", () => {
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
