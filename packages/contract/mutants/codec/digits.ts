import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/contract/src/internal/codec/digits.ts",
  test: "packages/contract/test/codec/Digits.test.ts",
  mutants: [
    {
      name: "digits-come-where-none-are-asked-for",
      promise: 2,
      title: "of a method with digits are doubles",
      find: `return here.some(isAsked) ? json : Number(json.rawJSON)`,
      replace: `return json`
    },
    {
      name: "digits-are-doubles-everywhere",
      promise: 2,
      title: "of any number come back from a peer",
      find: `return here.some(isAsked) ? json : Number(json.rawJSON)`,
      replace: `return Number(json.rawJSON)`
    }
  ]
} satisfies Mutants
