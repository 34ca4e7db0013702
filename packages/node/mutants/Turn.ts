import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/node/src/internal/http",
  test: "packages/node/test/http/together.test.ts",
  mutants: [
    {
      name: "a-connection-ends-before-the-answers-of-its-turn",
      promise: 19,
      title: "reach a client that has ended its side",
      find: `flush?.()`,
      replace: `void flush`
    }
  ]
} satisfies Mutants
