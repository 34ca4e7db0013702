import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/protocol/src/Splice.ts",
  test: "packages/protocol/test/Splice.test.ts",
  mutants: [
    {
      name: "splice-takes-the-first-id",
      promise: 3,
      find: `if (isId(text.slice(at, endOfKey))) id =`,
      replace: `if (isId(text.slice(at, endOfKey))) id ??=`
    },
    {
      name: "splice-does-not-know-escaped-names",
      promise: 3,
      find: ` || escapedId.test(key)`,
      replace: ``
    },
    {
      name: "splice-finds-ends-within-strings",
      promise: 3,
      find: `if (char === "\\"") at = afterString(text, at) - 1
    else if`,
      replace: `if`
    }
  ]
} satisfies Mutants
