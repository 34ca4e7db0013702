import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/http/src/PostRules.ts",
  test: "packages/node/test/NodeHttp.test.ts",
  mutants: [
    {
      name: "a-body-that-says-to-be-too-large-is-read",
      promise: 5,
      find: `if (contentLength !== undefined && Number(contentLength) > limits.frame) return tooLarge`,
      replace: ``
    },
    {
      name: "a-body-of-any-size-is-kept",
      promise: 5,
      find: `    if (this.#bytes.size + chunk.length > this.#limits.frame) return tooLarge\n`,
      replace: ``
    },
    {
      name: "a-page-may-call-a-server-on-its-machine",
      promise: 6,
      test: "packages/http/test/PostRules.test.ts",
      title: "foreign hosts and origins are refused",
      find: `if (refused !== undefined) return`,
      replace: `if (refused === "Host") return`
    },
    {
      name: "a-place-is-given-back-twice",
      promise: 17,
      test: "packages/http/test/PostRules.test.ts",
      title: "a place is given back once",
      find: `if (!this.#isHere) return`,
      replace: ``
    }
  ]
} satisfies Mutants
