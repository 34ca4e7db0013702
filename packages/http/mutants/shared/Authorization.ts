import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/http/src/shared/access/Authorization.ts",
  test: "packages/http/test/shared/Authorization.test.ts",
  mutants: [
    {
      name: "authorize-has-all-the-time",
      promise: 6,
      title: "has so many milliseconds",
      find: `duration: within,`,
      replace: `duration: "1 day",`
    }
  ]
} satisfies Mutants
