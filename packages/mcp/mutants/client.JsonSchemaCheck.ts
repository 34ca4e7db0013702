import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/internal/JsonSchemaCheck.ts",
  test: "packages/mcp/test/client/JsonSchemaCheck.test.ts",
  mutants: [
    {
      name: "schemas-lead-on-for-ever",
      promise: 17,
      find: `if (run.depth >= mostDepth) {`,
      replace: `if (run.depth >= 1e9) {`,
      title: "schemas that lead into one another"
    },
    {
      name: "an-excess-fits-what-should-not",
      promise: 14,
      find: `return run.excess ?? issue`,
      replace: `return issue`,
      title: "schemas that lead into one another"
    }
  ]
} satisfies Mutants
