import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/peer/src/internal/Watched.ts",
  test: "packages/peer/test/middleware/Metrics.test.ts",
  mutants: [
    {
      name: "what-begins-need-not-end",
      promise: 7,
      title: "are up and down exactly when the interruption comes",
      find: `    let start: bigint | undefined\n`,
      replace: `    let start: bigint | undefined\n    watcher.begin?.(fiber)\n    watcher = { end: watcher.end }\n`
    }
  ]
} satisfies Mutants
