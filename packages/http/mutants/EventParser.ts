import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/http/src/internal/EventParser.ts",
  test: "packages/http/test/shared/EventStream.test.ts",
  mutants: [
    {
      name: "a-carriage-return-at-the-end-of-a-chunk-ends-two-lines",
      promise: 4,
      title: "promise 4",
      find: `if (isReturn && at === chunk.length) this.#isAfterReturn = true`,
      replace: `if (isReturn && at === chunk.length) at = end + 1`
    },
    {
      name: "an-id-is-kept-without-being-counted",
      promise: 5,
      title: "promise 5",
      find: ` + (this.#id?.length ?? 0)`,
      replace: ``
    }
  ]
} satisfies Mutants
