import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/internal/server/calling.ts",
  test: "packages/mcp/test/server/McpTool.test.ts",
  mutants: [
    {
      name: "misfit-is-always-for-the-model",
      promise: 14,
      find: `? traits.invalidArguments === "toolError"`,
      replace: `? true`,
      title: "that do not fit become "
    },
    {
      name: "answer-of-a-retry-may-be-kept",
      promise: 11,
      find: `const hint = isRetry(params) ? uncached : feature.cache ?? server.reads`,
      replace: `const hint = feature.cache ?? { ttlMs: 1, cacheScope: "public" as const }`,
      test: "packages/mcp/test/server/asking.test.ts",
      title: "is for tools, resources and prompts alike"
    },
    {
      name: "missing-capability-is-for-the-model",
      promise: 14,
      find: `AskError.isUnanswered(refusal) && traits.asks === "requests"`,
      replace: `AskError.isUnanswered(refusal)`,
      test: "packages/mcp/test/server/asking.test.ts",
      title: "for what it did not declare is refused by the protocol"
    },
    {
      name: "call-that-is-done-starts-a-fiber",
      promise: 21,
      find: `if (isExit(effect) && !isRetry(params)) {`,
      replace: `if (isExit(effect) && isRetry(params)) {`,
      test: "packages/mcp/test/server/calls.test.ts",
      title: "a span stands for each request where a tracer listens"
    },
    {
      name: "answer-that-does-not-fit-is-ours",
      promise: 14,
      find: `? AskError.toErrorResponse(error)`,
      replace: `? ErrorResponse.make(ErrorCode.InternalError, error.message)`,
      test: "packages/mcp/test/server/asking.test.ts",
      title: "and an answer that does not fit is refused"
    }
  ]
} satisfies Mutants
