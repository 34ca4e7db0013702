import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/internal/httpServer/modern.ts",
  test: "packages/mcp/test/http-server/modern.test.ts",
  mutants: [
    {
      name: "headers-may-say-anything",
      promise: 1,
      find: `return header === value || HeaderValue.matches(header, value) ?`,
      replace: `return header !== "" ?`,
      title: "whose headers say something else than its body is refused"
    },
    {
      name: "marked-arguments-are-not-compared",
      promise: 1,
      find: `(method === "tools/call" ? paramsMismatch(server, head, params) : undefined)`,
      replace: `undefined`,
      title: "repeats the arguments that a tool marks in headers"
    },
    {
      name: "every-error-is-ok",
      promise: 1,
      find: `return replies.statuses.get(code) ?? 200`,
      replace: `return 200`,
      title: "has a status that says the same as its error"
    }
  ]
} satisfies Mutants
