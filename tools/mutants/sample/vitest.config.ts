/** How the sample runs its tests: only the fast ones, in one worker that stays. */
import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: (process.env["MUTANTS_TESTS"] ?? "").split("\n"),
    exclude: ["**/*.slow.test.ts", "**/node_modules/**"],
    isolate: false,
    fileParallelism: false,
    testTimeout: 5_000,
    hookTimeout: 5_000,
    dangerouslyIgnoreUnhandledErrors: false
  }
})
