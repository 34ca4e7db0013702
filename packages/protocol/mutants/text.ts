import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/protocol/src/internal/text.ts",
  test: "packages/protocol/test/codec.test.ts",
  mutants: [
    {
      name: "encode-function-as-undefined",
      promise: 5,
      find: `if (text === undefined) throw`,
      replace: `if (text === null) throw`
    }
  ]
} satisfies Mutants
