/** How the sample runs its tests: only the fast ones, in one worker that stays. */
import { join } from "node:path"
import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: (process.env["MUTANTS_TESTS"] ?? "").split("\n"),
    exclude: ["**/*.slow.test.ts", "**/node_modules/**"],
    isolate: false,
    fileParallelism: false,
    setupFiles: [join(import.meta.dirname, "patience.ts")],
    dangerouslyIgnoreUnhandledErrors: false
  }
})
