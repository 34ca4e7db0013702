import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/McpMemoryClient.ts",
  test: "packages/mcp/test/client/McpMemoryClient.test.ts",
  mutants: [
    {
      name: "server-in-memory-drains-by-itself",
      promise: 19,
      find: `{ limits: host.limits }`,
      replace: `{}`,
      title: "ends with its Scope, and what runs on the server as well"
    }
  ]
} satisfies Mutants
