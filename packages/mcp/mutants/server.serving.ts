import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/internal/server/serving.ts",
  test: "packages/mcp/test/server/lists.test.ts",
  mutants: [
    {
      name: "pages-may-be-empty",
      promise: 17,
      find: `if (Number.isInteger(pageSize) && pageSize > 0) return pageSize`,
      replace: `if (pageSize !== undefined) return pageSize`,
      title: "has pages of at least one entry"
    }
  ]
} satisfies Mutants
