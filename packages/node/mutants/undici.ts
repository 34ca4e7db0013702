import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/node/src/internal/http/undici.ts",
  test: "packages/node/test/NodeHttpCaller.test.ts",
  mutants: [
    {
      name: "a-call-that-never-left-counts-as-sent",
      promise: 9,
      title: "nobody who listens, or no name",
      find: `const sent = this.#controller !== undefined`,
      replace: `const sent = true`
    }
  ]
} satisfies Mutants
