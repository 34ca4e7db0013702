import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/protocol/src/RequestId.ts",
  test: "packages/protocol/test/codec.test.ts",
  mutants: [
    {
      name: "id-keeps-its-value-only",
      promise: 3,
      find: `if (Number.isSafeInteger(value)) return value
  const text`,
      replace: `if (Number.isFinite(value)) return value
  const text`
    },
    {
      name: "id-without-source-is-taken",
      promise: 3,
      find: `if (text === undefined) return undefined`,
      replace: `if (text === undefined) return value`,
      test: "packages/protocol/test/RequestId.test.ts"
    },
    {
      name: "id-nan-has-a-text",
      promise: 5,
      find: `if (!Number.isFinite(id)) throw`,
      replace: `if (id === null) throw`
    }
  ]
} satisfies Mutants
