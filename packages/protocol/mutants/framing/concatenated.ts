import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/protocol/src/internal/framing/concatenated.ts",
  test: "packages/protocol/test/framing/Framing.concatenated.test.ts",
  mutants: [
    {
      name: "escape-is-forgotten-between-chunks",
      promise: 4,
      find: "this.escaped = at > end",
      replace: "this.escaped = false"
    },
    {
      name: "too-large-value-within-a-chunk-is-a-text",
      promise: 5,
      find: "held.size === 0 && end - from <= limit",
      replace: "held.size === 0"
    }
  ]
} satisfies Mutants
