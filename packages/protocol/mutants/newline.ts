import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/protocol/src/internal/newline.ts",
  test: "packages/protocol/test/Framing.line.test.ts",
  mutants: [
    {
      name: "newline-among-words-is-missed",
      promise: 4,
      find: "bytes.indexOf(10, from + 4 * at)",
      replace: "bytes.indexOf(10, from + 4 * at + 16)"
    }
  ]
} satisfies Mutants
