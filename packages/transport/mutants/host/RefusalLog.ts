import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/transport/src/host/RefusalLog.ts",
  test: "packages/transport/test/host/RefusalLog.test.ts",
  mutants: [
    {
      name: "a-flood-fills-the-log",
      promise: 5,
      title: "a flood cannot fill it",
      find: `lines >= perMinute`,
      replace: `lines >= 100_000`
    },
    {
      name: "a-query-is-logged",
      promise: 6,
      title: "says who was refused, where, and why",
      find: `Excerpt.quoted(pathOf({ url }))`,
      replace: `Excerpt.quoted(url)`
    }
  ]
} satisfies Mutants
