import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/conform/src/internal/suites/jsonrpc",
  test: "packages/conform/test/suites/repairs.test.ts",
  mutants: [
    {
      name: "a-defect-that-is-known-hides-another",
      promise: 14,
      find: "known.length > 0 && wrongWith(repaired) === undefined",
      replace: "known.length > 0",
      title: "hides no other"
    },
    {
      name: "a-text-is-repaired-that-was-right",
      promise: 3,
      find: "for (const number of texts.flatMap(numbersOf)) taken(missing.indexOf(number))",
      replace: "",
      title: "is all that a repair changes"
    }
  ]
} satisfies Mutants
