import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/internal/server/jsonSchemas.ts",
  test: "packages/mcp/test/server/McpTool.test.ts",
  mutants: [
    {
      name: "a-choice-of-objects-is-no-object",
      promise: 14,
      find: `? { type: "object", ...root }`,
      replace: `? root`,
      title: "is an object, too, where it is one of several"
    }
  ]
} satisfies Mutants
