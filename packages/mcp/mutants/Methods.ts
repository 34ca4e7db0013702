import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/revision/Methods.ts",
  test: "packages/mcp/test/revision/Methods.test.ts",
  mutants: [
    {
      name: "elicitation-never-completes",
      promise: 1,
      find: `"notifications/elicitation/complete"`,
      replace: ``,
      title: "of the newest legacy revision are those of the official SDK"
    },
    {
      name: "roots-change-in-silence",
      promise: 1,
      find: `    "notifications/progress",
    "notifications/roots/list_changed"`,
      replace: `    "notifications/progress"`,
      title: "of the newest legacy revision are those of the official SDK"
    }
  ]
} satisfies Mutants
