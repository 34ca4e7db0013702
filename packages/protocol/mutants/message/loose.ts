import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/protocol/src/internal/loose.ts",
  test: "packages/protocol/test/dialects.test.ts",
  mutants: [
    {
      name: "decode-fractional-code",
      promise: 2,
      find: `code is number => Number.isSafeInteger(code)`,
      replace: `code is number => typeof code === "number"`,
      test: "packages/protocol/test/codec.test.ts"
    },
    {
      name: "decode-null-error-as-failure",
      promise: 2,
      find: `error === null || error === undefined`,
      replace: `error === undefined`
    },
    {
      name: "decode-error-beside-a-result",
      promise: 2,
      find: `result === null || result === undefined ?`,
      replace: `result !== 0 ?`
    },
    {
      name: "a-number-beyond-a-double-is-kept-as-foreign",
      promise: 1,
      test: "packages/protocol/test/codec.test.ts",
      find: `!resembles(json) && isJson(json)`,
      replace: `!resembles(json)`
    }
  ]
} satisfies Mutants
