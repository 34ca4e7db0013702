import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/contract/src/internal/codec/params.ts",
  test: "packages/contract/test/codec/Params.test.ts",
  mutants: [
    {
      name: "positions-are-reversed",
      promise: 2,
      title: "stand in the order of their declaration",
      find: `return present.map((name) => params[name] ?? null)`,
      replace: `return present.map((name) => params[name] ?? null).toReversed()`
    }
  ]
} satisfies Mutants
