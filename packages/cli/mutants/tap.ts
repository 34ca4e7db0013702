import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/cli/src",
  test: "packages/cli/test/commands/tap.test.ts",
  mutants: [
    {
      name: "tap-mixes-directions",
      promise: 7,
      find: "`${connection} ${direction === \"sent\" ? \"received\" : \"sent\"} ${RequestId.keyOf(id)}`",
      replace: "`${connection} sent ${RequestId.keyOf(id)}`",
      title: "tells connections apart"
    },
    {
      name: "tap-remembers-methods-of-any-length",
      promise: 5,
      find: ` && this.#size <= this.#most.windowBytes`,
      replace: ``,
      title: "remembers no more characters"
    }
  ]
} satisfies Mutants
