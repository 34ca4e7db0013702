import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/node/src/internal/process/childProcess.ts",
  test: "packages/node/test/process/groups.test.ts",
  mutants: [
    {
      name: "only-the-leader-is-waited-for",
      promise: 24,
      find: "Effect.map(Effect.timeoutOption(process.gone, grace), Option.isSome)",
      replace: "Effect.map(Effect.timeoutOption(process.exited, grace), Option.isSome)",
      title: "where "
    }
  ]
} satisfies Mutants
