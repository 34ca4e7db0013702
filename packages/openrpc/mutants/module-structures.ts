import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/openrpc/src/internal/module/structures.ts",
  test: "packages/openrpc/test/notices.test.ts",
  mutants: [
    {
      name: "openrpc-params-that-may-be-absent-go-by-position",
      promise: 2,
      find: `params.every(({ required }) => required === true)`,
      replace: `params.some(({ required }) => required === true)`,
      title: "guesses by position if all are required"
    }
  ]
} satisfies Mutants
