import { relative } from "node:path"
import type { Reporter, SerializedError, TestCase, TestModule } from "vitest/node"

/**
 * Ends a run of vitest with a line for each thing that failed and one line `N passed, N failed`. What is not a failing
 * test, yet fails the run, counts too.
 */
export class ClosingLine implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, errors: ReadonlyArray<SerializedError>): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const passed = tests.filter((test) => test.result().state === "passed").length
    const broken = modules.filter((module) => !module.ok() && [...module.children.allTests("failed")].length === 0)
    const failures = [
      ...tests.filter((test) => test.result().state !== "passed").map(ofTest),
      ...broken.map((module) => `${fileOf(module)}: ${firstLine(module.errors()[0]?.message)}`),
      ...errors.map(({ message }) => firstLine(message))
    ]
    process.on("exit", () => {
      for (const failure of failures) console.log(`FAILED  ${failure}`)
      console.log(`${passed} passed, ${failures.length} failed`)
    })
  }
}

const ofTest = (test: TestCase): string =>
  `${fileOf(test.module)} > ${test.fullName}: ${firstLine(test.result().errors?.[0]?.message ?? test.result().state)}`

const fileOf = ({ moduleId }: TestModule): string => relative(process.cwd(), moduleId)

const firstLine = (text = "failed"): string => text.split("\n", 1)[0]?.slice(0, 300) ?? text
