import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/internal/client/Logs.ts",
  test: "packages/mcp/test/client/Changes.test.ts",
  mutants: [
    {
      name: "every-log-message-is-as-important",
      promise: 14,
      find: `critical: "Fatal"`,
      replace: `critical: "Info"`,
      title: "they go to the logger"
    }
  ]
} satisfies Mutants
