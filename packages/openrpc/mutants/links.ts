import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/openrpc/src/internal/links.ts",
  test: "packages/openrpc/test/Codegen.test.ts",
  mutants: [
    {
      name: "openrpc-a-schema-may-ask-itself",
      promise: 1,
      find: `name === to ||`,
      replace: `false ||`,
      title: "refuses "
    }
  ]
} satisfies Mutants
