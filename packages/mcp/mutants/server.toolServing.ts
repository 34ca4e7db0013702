import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/internal/server/toolServing.ts",
  test: "packages/mcp/test/server/McpTool.test.ts",
  mutants: [
    {
      name: "a-raw-tool-gets-what-does-not-fit",
      promise: 14,
      find: `const issue = check(args)`,
      replace: `const issue = check === undefined ? check : undefined`,
      title: "of a raw tool that do not fit"
    }
  ]
} satisfies Mutants
