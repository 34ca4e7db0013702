import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/node/src/internal/process/ProcessGroup.ts",
  test: "packages/node/test/process/groups.test.ts",
  mutants: [
    {
      name: "what-outlives-its-leader-stays",
      promise: 24,
      find: "this.#hasMembers = isKnown && pid !== undefined && !isWindows && hasMembers(pid)",
      replace: "this.#hasMembers = isKnown && pid === undefined && !isWindows",
      title: "where "
    },
    {
      name: "a-number-is-signalled-after-its-group",
      promise: 24,
      find: "if (pid === undefined || !this.#look()) return",
      replace: "if (pid === undefined) return",
      title: "a number whose processes are gone"
    }
  ]
} satisfies Mutants
