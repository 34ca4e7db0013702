import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/http/src/shared/client/AnswerReader.ts",
  test: "packages/node/test/badFrames/answers.test.ts",
  mutants: [
    {
      name: "bytes-under-a-failure-are-read-as-if-they-were-utf8",
      promise: 7,
      find: `this.#isJson && this.#bytes.size > 0 ? this.#bytes.text() : undefined`,
      replace: `this.#isJson && this.#bytes.size > 0 ? lenient.decode(this.#bytes.join()) : undefined`
    },
    {
      name: "a-page-is-refused-without-a-word-of-it",
      promise: 7,
      find: `not JSON\`,
      chunk`,
      replace: `not JSON\``
    }
  ]
} satisfies Mutants
