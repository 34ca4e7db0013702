import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/protocol/src/internal/source.ts",
  test: "packages/protocol/test/shared/RequestId.test.ts",
  mutants: [
    {
      name: "an-id-in-front-is-the-last",
      promise: 3,
      find: `number === value && `,
      replace: ``
    },
    {
      name: "an-escaped-key-is-not-searched",
      promise: 3,
      find: `if (text.includes(escape)) return false`,
      replace: ``
    }
  ]
} satisfies Mutants
