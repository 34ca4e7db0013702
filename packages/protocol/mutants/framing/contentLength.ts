import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/protocol/src/internal/framing/contentLength.ts",
  test: "packages/protocol/test/framing/Framing.contentLength.test.ts",
  mutants: [
    {
      name: "length-is-counted-in-letters",
      promise: 4,
      find: "? bytes : concat(texts.map(framed))",
      replace: "? bytes : bytes"
    }
  ]
} satisfies Mutants
