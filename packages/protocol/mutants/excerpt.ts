import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/protocol/src/text/Excerpt.ts",
  test: "packages/protocol/test/text/Excerpt.test.ts",
  mutants: [
    {
      name: "a-client-writes-lines-into-the-log",
      promise: 6,
      title: "is bounded ASCII in quotes",
      find: `/[^ -~]/g`,
      replace: `/[^ -~\u202e]/g`
    }
  ]
} satisfies Mutants
