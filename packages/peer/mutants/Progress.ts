import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/peer/src/internal/Progress.ts",
  test: "packages/peer/test/Streaming.test.ts",
  mutants: [
    {
      name: "progress-and-partial-results-share-a-token",
      promise: 11,
      find: `withToken(partialResults, asking, partialResultToken(id))`,
      replace: `withToken(partialResults, asking, progressToken(id))`
    },
    {
      name: "tokens-of-others-are-ours",
      promise: 11,
      find: `token === tokenOf(id) ? id : undefined`,
      replace: `id`
    },
    {
      name: "null-is-a-token",
      promise: 11,
      title: "are asked for with a string or a number",
      find: `typeof token === "string" || typeof token === "number" ? token : undefined`,
      // The type says what is no longer so.
      replace: `token as string | undefined`
    },
    {
      name: "partial-results-have-no-token",
      promise: 11,
      find: `{ [member]: token, [name]: value }`,
      replace: `{ [name]: value }`
    }
  ]
} satisfies Mutants
