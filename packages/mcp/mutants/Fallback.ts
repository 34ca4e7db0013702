import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/internal/httpClient/Fallback.ts",
  test: "packages/mcp/test/http-client/older.test.ts",
  mutants: [
    {
      name: "a-refusal-is-lost-on-the-way-back",
      promise: 7,
      find: `Effect.andThen(handOn(held, take), Effect.fail(error))`,
      replace: `Effect.fail(error)`,
      title: "that is not there leaves the refusal as it came"
    },
    {
      name: "errors-of-mcp-look-for-the-older-transport",
      promise: 7,
      find: `if (codes.has(failure.error.code)) return true`,
      replace: ``,
      title: "is not looked for where the refusal is an error of MCP"
    }
  ]
} satisfies Mutants
