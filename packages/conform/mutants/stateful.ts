import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/conform/src/internal/suites/stateful",
  test: "packages/conform/test/stateful/stateful.test.ts",
  mutants: [
    {
      name: "things-are-created-without-leave",
      promise: 23,
      find: "if (!run.write) return yield*",
      replace: "if (run.aggressive && !run.write) return yield*",
      title: "creates nothing without leave"
    },
    {
      name: "what-is-read-after-a-deletion-is-not-looked-at",
      promise: 7,
      find: "if (!Walk.isSame(read, again)) return undefined",
      replace: "if (Walk.isSame(read, again)) return undefined",
      title: "finds that what was deleted can be read"
    },
    {
      name: "only-objects-of-one-have-keys",
      promise: 14,
      find: "if (first !== undefined) look(first, [...path, 0])",
      replace: "if (first !== undefined) return",
      title: "passes servers that keep what is created"
    }
  ]
} satisfies Mutants
