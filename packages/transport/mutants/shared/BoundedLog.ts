import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/transport/src/shared/BoundedLog.ts",
  test: "packages/http/test/shared/RefusalLog.test.ts",
  mutants: [
    {
      name: "a-flood-fills-the-log",
      promise: 5,
      title: "a flood cannot fill it",
      find: `lines >= perMinute`,
      replace: `lines >= 100_000`
    }
  ]
} satisfies Mutants
