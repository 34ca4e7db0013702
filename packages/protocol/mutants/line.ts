import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/protocol/src/internal/line.ts",
  test: "packages/protocol/test/Framing.line.test.ts",
  mutants: [
    {
      name: "too-large-line-within-a-chunk-is-a-text",
      promise: 5,
      find: "last - start > limit ? undefined : decode(all)",
      replace: "decode(all)"
    },
    {
      name: "bad-line-costs-its-chunk",
      promise: 4,
      find: "if (text === undefined) oneByOne(chunk, start, last, frames)\n",
      replace: ""
    }
  ]
} satisfies Mutants
