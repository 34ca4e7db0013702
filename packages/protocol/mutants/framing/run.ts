import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/protocol/src/internal/framing/run.ts",
  test: "packages/protocol/test/framing/Framing.contentLength.test.ts",
  mutants: [
    {
      name: "bytes-are-taken-for-letters",
      promise: 4,
      find: "text !== undefined && text.length === last - first",
      replace: "text !== undefined"
    }
  ]
} satisfies Mutants
