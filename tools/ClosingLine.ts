import type { Reporter, SerializedError, TestModule } from "vitest/node"

/** Ends a run of vitest with one line `N passed, N failed`. What is not a failing test, yet fails the run, counts too. */
export class ClosingLine implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, errors: ReadonlyArray<SerializedError>): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const passed = tests.filter((test) => test.result().state === "passed").length
    const broken = modules.filter((module) => !module.ok() && [...module.children.allTests("failed")].length === 0)
    const failed = tests.length - passed + broken.length + errors.length
    process.on("exit", () => console.log(`${passed} passed, ${failed} failed`))
  }
}
