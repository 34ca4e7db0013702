import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/protocol/src/shared/RequestId.ts",
  test: "packages/protocol/test/shared/RequestId.test.ts",
  mutants: [
    {
      name: "unequal-id-without-raw-json-is-taken",
      promise: 3,
      find: `|| isEqual(value, text)`,
      replace: `|| Number(text) === value`
    }
  ]
} satisfies Mutants
