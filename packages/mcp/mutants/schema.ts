import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/internal/schema",
  test: "packages/mcp/test/schema/check.test.ts",
  mutants: [
    {
      name: "siblings-see-what-others-evaluate",
      promise: 14,
      find: "node.hasUnevaluated ? new Evaluated() : evaluated",
      replace: "evaluated ?? (node.hasUnevaluated ? new Evaluated() : undefined)",
      title: "schemas beside one another"
    },
    {
      name: "the-innermost-anchor-is-meant",
      promise: 14,
      test: "packages/mcp/test/schema/suite.test.ts",
      find: "run.scope.find(({ dynamic })",
      replace: "run.scope.findLast(({ dynamic })",
      title: "every answer of "
    },
    {
      name: "what-is-ahead-is-sought-forward",
      promise: 5,
      test: "packages/mcp/test/schema/pattern.test.ts",
      find: "programOf(look.part, !look.isBehind)",
      replace: "programOf(look.part, look.isBehind)",
      title: "matches what the engine"
    }
  ]
} satisfies Mutants
