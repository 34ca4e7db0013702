import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/openrpc/src/internal/modules.ts",
  test: "packages/openrpc/test/Codegen.test.ts",
  mutants: [
    {
      name: "openrpc-schemas-are-declared-as-they-come",
      promise: 2,
      find: `!(recursive.has(from) && recursive.has(to))`,
      replace: `false`,
      title: "declares Schemas before those that need them"
    }
  ]
} satisfies Mutants
