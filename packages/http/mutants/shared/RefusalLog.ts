import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/http/src/shared/access/RefusalLog.ts",
  test: "packages/http/test/shared/RefusalLog.test.ts",
  mutants: [
    {
      name: "a-query-is-logged",
      promise: 6,
      title: "says who was refused, where, and why",
      find: `Excerpt.quoted(pathOf({ url }))`,
      replace: `Excerpt.quoted(url)`
    }
  ]
} satisfies Mutants
