import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/json-schema/src",
  test: "packages/json-schema/test/check.test.ts",
  mutants: [
    {
      name: "a-bound-of-draft-04-lets-itself-pass",
      promise: 14,
      test: "packages/json-schema/test/check.test.ts",
      find: "source.get(flag) !== true",
      replace: "source.get(flag) !== undefined",
      title: "a bound of draft-04"
    },
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
      test: "packages/json-schema/test/suite.test.ts",
      find: "run.scope.find(({ dynamic })",
      replace: "run.scope.findLast(({ dynamic })",
      title: "every answer of "
    },
    {
      name: "a-pattern-begins-only-once",
      promise: 1,
      test: "packages/json-schema/test/pattern.test.ts",
      find: `if (!isAnchored) isEnd = follow(0, next) || isEnd`,
      replace: ``,
      title: "matches what the engine"
    },
    {
      name: "what-is-ahead-is-sought-forward",
      promise: 5,
      test: "packages/json-schema/test/pattern.test.ts",
      find: "programOf(look.part, !look.isBehind)",
      replace: "programOf(look.part, look.isBehind)",
      title: "matches what the engine"
    },
    {
      name: "a-reference-of-ours-that-leads-nowhere-is-taken",
      promise: 14,
      test: "packages/mcp/test/schema/faults.test.ts",
      find: "if (target === undefined) return unusable(",
      replace: "if (target === undefined) continue\n      if (false) return unusable(",
      title: "a fault of "
    },
    {
      name: "a-reference-to-all-definitions-is-taken-for-one",
      promise: 14,
      test: "packages/mcp/test/schema/faults.test.ts",
      find: `return kind === "schemas" ? undefined : place`,
      replace: "return place",
      title: "a fault of "
    },
    {
      name: "what-cannot-be-checked-fits",
      promise: 14,
      find: "run.visit(whole, value) ?? run.doubt",
      replace: "run.visit(whole, value)",
      title: "a part that cannot be checked decides nothing"
    },
    {
      name: "not-of-a-doubt-is-a-misfit",
      promise: 14,
      find: "return answer === true ? run.issue(\"it is what it should not be\") : run.doubted(answer.rule)",
      replace: "return run.issue(\"it is what it should not be\")",
      title: "a choice is undecided only"
    }
  ]
} satisfies Mutants
