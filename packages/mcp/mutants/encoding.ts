import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/internal/revision/encoding.ts",
  test: "packages/mcp/test/revision/Wire.test.ts",
  mutants: [
    {
      name: "structured-content-in-any-revision",
      promise: 2,
      find: `traits.structuredContent === "object" && isObject(value)`,
      replace: `traits.structuredContent === "object"`,
      title: "drops structured content and output schemas that a revision cannot have"
    },
    {
      name: "modern-result-without-its-kind",
      promise: 2,
      find: `        resultType: "complete",
        ...result,
        _meta`,
      replace: `        ...result,
        _meta`,
      title: "seals a modern result with its kind and its server, and a legacy one with nothing"
    },
    {
      name: "seal-replaces-the-kind-of-a-result",
      promise: 2,
      find: `        resultType: "complete",
        ...result,
        _meta`,
      replace: `        ...result,
        resultType: "complete",
        _meta`,
      title: "seals a modern result with its kind and its server"
    },
    {
      name: "cache-hints-in-the-legacy-era",
      promise: 2,
      find: `omit(result, "ttlMs", "cacheScope")`,
      replace: `result`,
      title: "what may be kept is said in the modern era only"
    },
    {
      name: "modern-list-without-a-cache-hint",
      promise: 2,
      find: `{ ttlMs: 0, cacheScope: "private", ...result }`,
      replace: `result`,
      title: "what may be kept is said in the modern era only"
    },
    {
      name: "completions-without-an-end",
      promise: 2,
      find: `values: result.completion.values.slice(0, maxCompletions)`,
      replace: `values: result.completion.values`,
      title: "cuts completions after a hundred"
    }
  ]
} satisfies Mutants
