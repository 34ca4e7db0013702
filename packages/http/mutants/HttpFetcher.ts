import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/http/src/HttpFetcher.ts",
  test: "packages/node/test/HttpFetcher.test.ts",
  mutants: [
    {
      name: "a-text-of-any-size-is-read",
      promise: 5,
      title: "promise 5: a frame beyond its limit is never buffered, be it",
      find: `return bytes.size > limit ? tooLarge() : undefined`,
      replace: `return undefined`
    }
  ]
} satisfies Mutants
