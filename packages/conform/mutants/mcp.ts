import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/conform/src/internal/suites/mcp",
  test: "packages/conform/test/mcp/faults.test.ts",
  mutants: [
    {
      name: "probes-call-tools-that-write",
      promise: 23,
      find: `isReadOnly || run.write`,
      replace: `isReadOnly || true`,
      test: "packages/conform/test/mcp/right.test.ts",
      title: "is asked to change something only where that is allowed: "
    },
    {
      name: "a-second-response-is-not-seen",
      promise: 7,
      find: `open.delete(id)`,
      replace: ``,
      title: "fails where it does: "
    },
    {
      name: "progress-that-stands-still-increases",
      promise: 11,
      find: `progress > before.progress`,
      replace: `progress >= before.progress`,
      title: "fails where it does: "
    },
    {
      name: "structured-content-may-be-missing",
      promise: 1,
      find:
        `if (structured === undefined) return [Rule.finding(expected, "a result without structuredContent", exchange)]`,
      replace: `if (structured === undefined) return []`,
      title: "fails where it does: "
    },
    {
      name: "a-server-that-ends-at-arguments-has-refused-them",
      promise: 14,
      find: `isRefusal(reply.outcome) ? [] : [Rule.breach(\`a refusal of \${what}\`, reply)]`,
      replace:
        `reply.outcome._tag !== "Result" || isRefusal(reply.outcome) ? [] : [Rule.breach(\`a refusal of \${what}\`, reply)]`,
      title: "fails where it does: "
    },
    {
      name: "a-session-stands-for-credentials",
      promise: 23,
      find: `conversation.request("ping", undefined, { headers: { authorization: undefined } })`,
      replace: `conversation.request("parley/conform/unknown", undefined, { headers: { authorization: undefined } })`,
      test: "packages/conform/test/mcp/discovery.test.ts",
      title: "fails where its metadata leads nowhere, and where the id of a session is enough"
    },
    {
      name: "a-session-that-has-ended-is-bad",
      promise: 9,
      find: `return after.status === 404 ?`,
      replace: `return after.status >= 400 ?`,
      test: "packages/conform/test/mcp/http.test.ts",
      title: "is found where it breaks "
    }
  ]
} satisfies Mutants
