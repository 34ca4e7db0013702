import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/internal/client/Rounds.ts",
  test: "packages/mcp/test/client/Input.test.ts",
  mutants: [
    {
      name: "rounds-without-end",
      promise: 17,
      find: `if (left === 0) {`,
      replace: `if (left === -1_000) {`,
      title: "a server that asks for ever"
    },
    {
      name: "a-state-is-kept-from-an-earlier-round",
      promise: 14,
      find: `round({ ...params, ...more }, left - 1)`,
      replace: `round({ ...all, ...more }, left - 1)`,
      title: "the state is left out where none came"
    },
    {
      name: "questions-wait-for-each-other",
      promise: 12,
      find: `{ concurrency: mostAtOnce }`,
      replace: `{ concurrency: 1 }`,
      title: "the questions of a round are answered at once"
    },
    {
      name: "answers-are-kept-like-results",
      promise: 14,
      find: `if (all === params) onPlain?.(value)`,
      replace: `onPlain?.(value)`,
      title: "prompts and resources may ask as well"
    }
  ]
} satisfies Mutants
