import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/http/src/shared/client/HttpFetcher.ts",
  test: "packages/node/test/fetcher/HttpFetcher.test.ts",
  mutants: [
    {
      name: "a-body-without-an-end-is-taken-in-one-piece",
      promise: 18,
      find: `BufferedBody.isAnnounced(headers["content-length"]) &&`,
      replace: `headers["content-length"] !== "" &&`
    },
    {
      name: "an-answer-that-was-given-up-comes-all-the-same",
      promise: 8,
      find: `Effect.runFork(this.#response.arrayBuffer).interruptUnsafe()`,
      replace: ``
    }
  ]
} satisfies Mutants
