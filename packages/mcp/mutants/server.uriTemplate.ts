import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/internal/server/uriTemplate.ts",
  test: "packages/mcp/test/server/McpResource.test.ts",
  mutants: [
    {
      name: "expressions-behind-one-another-are-two",
      promise: 14,
      find: `else if (goesOn(last.operator, operator)) last`,
      replace: `else if (last.operator === "none" && goesOn(last.operator, operator)) last`,
      title: "reads the variables of every operator"
    }
  ]
} satisfies Mutants
