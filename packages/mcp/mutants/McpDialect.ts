import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/McpDialect.ts",
  test: "packages/mcp/test/McpDialect.test.ts",
  mutants: [
    {
      name: "dialect-settled-too-early",
      promise: 1,
      find: `  get unreadableId() {
    return wire()?.traits.unreadable ?? "omit"
  }`,
      replace: `  unreadableId: wire()?.traits.unreadable ?? "omit"`,
      title: "follows the revision as it becomes known"
    },
    {
      name: "handshake-can-be-cancelled",
      promise: 8,
      find: `except: ["initialize"]`,
      replace: `except: []`,
      title: "never cancels the handshake"
    }
  ]
} satisfies Mutants
