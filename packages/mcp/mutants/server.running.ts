import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/internal/server/running.ts",
  test: "packages/mcp/test/server/running.test.ts",
  mutants: [
    {
      name: "stuck-call-keeps-the-server",
      promise: 19,
      find: `const drain = 500`,
      replace: `const drain = 5_000`,
      title: "ends within a second of its input"
    }
  ]
} satisfies Mutants
