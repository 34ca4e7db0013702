import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/McpHttp.ts",
  test: "packages/mcp/test/http-server/modern.test.ts",
  mutants: [
    {
      name: "every-page-may-call",
      promise: 6,
      find: `access: { ...options.access, origins: options.access?.origins ?? "loopback" }`,
      replace: `access: { origins: "any", ...options.access }`,
      title: "is this machine where nothing else is said"
    },
    {
      name: "an-envelope-does-not-make-a-request-modern",
      promise: 1,
      test: "packages/mcp/test/http-server/sessions.test.ts",
      find: `(call !== undefined && modern.isModern(call)) ||`,
      replace: ``,
      title: "are told apart by the envelope, then by the header"
    },
    {
      name: "sessions-outlive-their-endpoint",
      promise: 19,
      test: "packages/mcp/test/http-server/hosts.test.ts",
      find: `sessions?.close ?? Effect.void`,
      replace: `Effect.void`,
      title: "ends streams when it closes, and what runs in sessions"
    }
  ]
} satisfies Mutants
