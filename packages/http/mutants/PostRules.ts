import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/http/src/PostRules.ts",
  test: "packages/node/test/NodeHttp.test.ts",
  mutants: [
    {
      name: "a-body-that-says-to-be-too-large-is-read",
      promise: 5,
      find: `return contentLength !== undefined && Number(contentLength) > frame ? tooLarge : undefined`,
      replace: `return undefined`
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
      find: `    this.#place = undefined\n`,
      replace: ``
    },
    {
      name: "a-stream-that-stays-holds-the-place-of-a-request",
      promise: 17,
      test: "packages/http/test/PostRules.test.ts",
      title: "streams that stay have places of their own",
      find: `    this.#place = "streams"\n`,
      replace: `    this.#place = "visits"\n    this.#load.visits++\n`
    },
    {
      name: "streams-without-end-may-be-any-number",
      promise: 17,
      test: "packages/http/test/PostRules.test.ts",
      title: "streams that stay have places of their own",
      find: `    if (this.#load.streams >= this.#limits.connections) return tooMany\n`,
      replace: ``
    }
  ]
} satisfies Mutants
