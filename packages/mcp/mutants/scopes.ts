import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src",
  test: "packages/mcp/test/auth/server/scopes.test.ts",
  mutants: [
    {
      name: "one-scope-of-many-suffices",
      promise: 6,
      find: "scopes.every((scope) => granted.has(scope))",
      replace: "scopes.some((scope) => granted.has(scope))",
      title: "are asked for before a handler runs"
    },
    {
      name: "what-is-hidden-says-which-scopes-it-needs",
      promise: 6,
      find: "? seen.value ? whereScoped(call, bound, serve) : unknown()",
      replace: "? seen.value || !isUnscoped(bound.feature) ? whereScoped(call, bound, serve) : unknown()",
      title: "say nothing of what is not visible"
    }
  ]
} satisfies Mutants
