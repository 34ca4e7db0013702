import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/contract/src/internal/mapped.ts",
  test: "packages/contract/test/Publishing.test.ts",
  mutants: [
    {
      name: "what-does-not-fit-takes-the-rest-along",
      promise: 11,
      title: "fails after its items, as its contract says",
      find: `if (mapped.length === 0) return broken`,
      replace: `return broken`
    },
    {
      name: "what-does-not-fit-is-skipped",
      promise: 11,
      test: "packages/contract/test/Subscribing.test.ts",
      title: "fails after its items: as its contract says",
      find: `        if (mapped.length === 0) return broken\n        break\n`,
      replace: `        continue\n`
    }
  ]
} satisfies Mutants
