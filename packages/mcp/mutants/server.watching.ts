import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/internal/server/watching.ts",
  test: "packages/mcp/test/server/changes.test.ts",
  mutants: [
    {
      name: "same-change-is-owed-twice",
      promise: 17,
      find: `this.#pending.set("list" in change ? \`list \${change.list}\` : \`uri \${change.uri}\`, change)`,
      replace: `this.#pending.set(String(this.#pending.size), change)`,
      title: "a client that does not read is owed each change once"
    }
  ]
} satisfies Mutants
