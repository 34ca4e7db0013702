import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/openrpc/src/internal/schema/pattern.ts",
  test: "packages/openrpc/test/Pattern.test.ts",
  mutants: [
    {
      name: "openrpc-a-pattern-begins-only-once",
      promise: 1,
      find: `enter(start, at, current)`,
      replace: `if (at === 0) enter(start, at, current)`,
      title: "match from any place of a text"
    }
  ]
} satisfies Mutants
