import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/peer/src/internal/OneWay.ts",
  test: "packages/peer/test/OneWay.test.ts",
  mutants: [
    {
      name: "progress-is-lost-where-nothing-comes-back",
      promise: 11,
      find: `progress: (fields) => Progress.notify(peer, dialect.progress, params, fields),`,
      replace: `progress: () => Effect.void,`
    },
    {
      name: "what-comes-behind-the-answer-is-sent",
      promise: 9,
      title: "what comes behind the answer is not sent",
      find: `const gone = () => isOpen ? lost() : closed`,
      replace: `const gone = () => lost()`
    }
  ]
} satisfies Mutants
