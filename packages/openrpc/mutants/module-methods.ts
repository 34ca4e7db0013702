import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/openrpc/src/internal/module/methods.ts",
  test: "packages/openrpc/test/Codegen.test.ts",
  mutants: [
    {
      name: "openrpc-params-are-put-in-another-order",
      promise: 2,
      find: `keys.every((key, index) => key === names[index])`,
      replace: `keys.every((key) => names.includes(key))`,
      title: "keeps the order of params"
    }
  ]
} satisfies Mutants
