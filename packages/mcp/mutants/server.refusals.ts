import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/internal/server/refusals.ts",
  test: "packages/mcp/test/server/McpTool.test.ts",
  mutants: [
    {
      name: "defect-is-shown-to-the-model",
      promise: 15,
      find: `Cause.hasDies(cause) ? undefined : cause.reasons.find(Cause.isFailReason)`,
      replace: `({ error: Cause.squash(cause) })`,
      title: "that nobody declared is masked, and logged"
    },
    {
      name: "what-json-cannot-hold-keeps-an-error-back",
      promise: 14,
      find: `typeof value === "bigint" ? String(value) : value`,
      replace: `value`,
      test: "packages/mcp/test/server/McpTool.test.ts",
      title: "that is typed is shown to the model"
    }
  ]
} satisfies Mutants
