import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/internal/client/Tools.ts",
  test: "packages/mcp/test/client/Calls.test.ts",
  mutants: [
    {
      name: "a-failed-tool-is-a-result",
      promise: 14,
      find: `if (result.isError === true) return Effect.fail(new ToolError({ tool: name, result }))`,
      replace: ``,
      title: "an error object, a failed tool"
    },
    {
      name: "structured-content-may-be-missing",
      promise: 14,
      find: `result.structuredContent === undefined) return missing`,
      replace: `result.structuredContent === undefined) return Effect.succeed(result)`,
      title: "structured content is held"
    },
    {
      name: "structured-content-is-not-checked",
      promise: 14,
      find: `if (issue === undefined) return Effect.succeed(result)`,
      replace: `if (issue !== null) return Effect.succeed(result)`,
      title: "structured content is held"
    },
    {
      name: "tools-with-bad-headers-are-offered",
      promise: 14,
      test: "packages/mcp/test/client/Sessions.test.ts",
      find: `const offered = reads ? tools.filter(isCallable) : tools`,
      replace: `const offered = tools`,
      title: "tools with annotations that break a rule"
    },
    {
      name: "a-mismatch-of-headers-is-final",
      promise: 9,
      test: "packages/mcp/test/client/Sessions.test.ts",
      find: `error.code === McpError.HeaderMismatch`,
      replace: `error.code !== McpError.HeaderMismatch`,
      title: "a call tells the link the tool"
    },
    {
      name: "arguments-are-not-written-as-json",
      promise: 14,
      find: `Schema.encodeUnknownResult(Schema.toCodecJson(params))`,
      replace: `Schema.encodeUnknownResult(params)`,
      title: "Schemas of what is no JSON"
    },
    {
      name: "results-are-not-read-from-json",
      promise: 14,
      find: `Schema.decodeUnknownExit(Schema.toCodecJson(schema))`,
      replace: `Schema.decodeUnknownExit(schema)`,
      title: "Schemas of what is no JSON"
    }
  ]
} satisfies Mutants
