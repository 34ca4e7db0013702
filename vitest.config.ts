import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { ClosingLine } from "./tools/ClosingLine.ts"
import { compileCache } from "./tools/compileCache.ts"
import { TestOrder } from "./tools/TestOrder.ts"

/** `SLOW=1 vitest run` runs the slow tests, and only them. */
const slow = process.env["SLOW"] === "1"

export default defineConfig({
  test: {
    include: slow
      ? ["packages/*/test/**/*.slow.test.ts", "tools/test/**/*.slow.test.ts"]
      : ["packages/*/test/**/*.test.ts", "tools/test/**/*.test.ts"],
    exclude: slow ? [] : ["**/*.slow.test.ts"],
    setupFiles: ["./tools/logs/setup.ts"],
    // Loading Effect takes half a second per worker, so the files share them; slow tests measure their memory alone.
    isolate: slow,
    pool: "forks",
    sequence: { sequencer: TestOrder },
    env: { NODE_COMPILE_CACHE: compileCache },
    // Two more than processors: a worker is idle a third of its time, and waits for processes, sockets and timeouts.
    maxWorkers: availableParallelism() + (slow ? 0 : 2),
    reporters: ["default", new ClosingLine()],
    allowOnly: false,
    passWithNoTests: false,
    retry: 0,
    testTimeout: slow ? 240_000 : 60_000,
    hookTimeout: slow ? 240_000 : 60_000
  }
})
