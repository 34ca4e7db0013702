import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/openrpc/src/internal/source.ts",
  test: "packages/openrpc/test/Codegen.test.ts",
  mutants: [
    {
      name: "openrpc-a-description-ends-the-comment",
      promise: 2,
      find: `.replaceAll("*/", "*\\\\/")`,
      replace: ``,
      title: "writes text that a person would"
    }
  ]
} satisfies Mutants
