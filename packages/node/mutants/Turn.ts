import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/node/src/internal/http",
  test: "packages/node/test/http/together.test.ts",
  mutants: [
    {
      name: "a-connection-ends-before-the-answers-of-its-turn",
      promise: 19,
      title: "reach a client that has ended its side",
      find: `turn?.end()`,
      replace: `void turn`
    },
    {
      name: "answers-that-wait-for-the-turn-keep-every-place",
      promise: 17,
      title: "keep no places of connections",
      find: `endpoint.limits.connections / 4`,
      replace: `Infinity`
    }
  ]
} satisfies Mutants
