import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/middleware/src/internal/Observer.ts",
  test: "packages/middleware/test/Metrics.test.ts",
  mutants: [
    {
      name: "what-begins-need-not-end",
      promise: 7,
      title: "are up and down exactly when the interruption comes",
      find: `let start: bigint | undefined\n`,
      replace: `let start: bigint | undefined\n    watcher.begin?.(fiber)\n    watcher = { end: watcher.end }\n`
    }
  ]
} satisfies Mutants
