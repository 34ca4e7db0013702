import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/protocol/src/internal/framing/line.ts",
  test: "packages/protocol/test/framing/Framing.line.test.ts",
  mutants: [
    {
      name: "too-large-line-within-a-chunk-is-a-text",
      promise: 5,
      find: "last - start > limit ? undefined : decode(all)",
      replace: "decode(all)"
    }
  ]
} satisfies Mutants
