import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/openrpc/src/internal",
  test: "packages/openrpc/test/generated/values.test.ts",
  mutants: [
    {
      name: "examples-of-schemas-need-not-fit",
      promise: 1,
      find: `if (!Object.hasOwn(annotations, at)) return annotations`,
      replace: `if (Object.hasOwn(annotations, at)) return annotations`,
      title: "that do not fit "
    },
    {
      name: "an-example-without-a-name-is-an-error",
      promise: 1,
      find: `["methods", "*", "examples", "*"],`,
      replace: ``,
      title: "without which the contract is the same is left out"
    }
  ]
} satisfies Mutants
