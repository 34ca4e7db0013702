import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/contract/src/Digits.ts",
  test: "packages/contract/test/codec/Digits.test.ts",
  mutants: [
    {
      name: "an-exponent-adds-any-number-of-digits",
      promise: 14,
      title: "are refused where an exponent stands for more digits than it may",
      find: `|| exponentOf(text) > largestExponent`,
      replace: ``
    },
    {
      name: "a-decimal-is-read-that-cannot-be-written",
      promise: 2,
      title: "that can be read can be written",
      find: `return decimalText(decimal).length > longest ? undefined : decimal`,
      replace: `return decimal`
    }
  ]
} satisfies Mutants
