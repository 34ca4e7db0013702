import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/http/src/AnswerReader.ts",
  test: "packages/http/test/AnswerReader.test.ts",
  mutants: [
    {
      name: "an-answer-of-any-size-is-kept",
      promise: 5,
      find: `return this.#bytes.size > this.#frame ? bad(tooLarge(this.#frame)) : nothing`,
      replace: `return nothing`
    },
    {
      name: "a-refusal-of-any-size-is-kept",
      promise: 5,
      find: `return this.#bytes.size > (this.#isJson ? this.#frame : excerptBytes) ? this.#failure() : nothing`,
      replace: `return nothing`
    }
  ]
} satisfies Mutants
