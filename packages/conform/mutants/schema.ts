import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/conform/src/internal",
  test: "packages/conform/test/schema/schema.test.ts",
  mutants: [
    {
      name: "operations-are-called-without-leave",
      promise: 23,
      find: "operations.filter(({ isReadOnly }) => isReadOnly || run.write)",
      replace: "operations",
      title: "calls nothing that does not say that it only reads, unless it may write"
    },
    {
      name: "any-refusal-is-one-of-the-schema",
      promise: 14,
      find: `return misfit === undefined && outcome._tag === "Refused" && isOfShape(trial, outcome.message)`,
      replace: `return misfit === undefined && (outcome._tag === "Refused" || outcome._tag === "Failed")`,
      title: "says nothing of a refusal for reasons of the world"
    },
    {
      name: "a-code-alone-tells-who-refuses",
      promise: 14,
      find: `trial, isKnown(operation) ? "refused" : "checked"`,
      replace: `trial, "refused"`,
      title: "says nothing of a refusal for reasons of the world"
    },
    {
      name: "another-structure-of-params-is-not-known",
      promise: 14,
      find: `trial, isKnown(operation) ? "refused" : "checked"`,
      replace: `trial, "checked"`,
      title: "finds a structure of params that is not served"
    },
    {
      name: "a-slow-server-is-lost",
      promise: 7,
      find: `outcome._tag === "Ended" || (outcome._tag === "Blocked" && misfit !== undefined)`,
      replace: `outcome._tag === "Ended" || outcome._tag === "Slow" || outcome._tag === "Blocked"`,
      title: "finds an internal error, and a server that ends"
    },
    {
      name: "an-ended-server-is-no-finding",
      promise: 7,
      find: `outcome._tag === "Ended" || (outcome._tag === "Blocked" && misfit !== undefined)`,
      replace: `outcome._tag === "Blocked" && misfit !== undefined`,
      title: "finds an internal error, and a server that ends"
    },
    {
      name: "a-text-that-is-read-as-a-number-fails-a-server",
      promise: 14,
      find: "!isUnknownMember(trial) && !isReadAsOther(trial)",
      replace: "!isUnknownMember(trial)",
      title: "says of a text that is read as a number"
    },
    {
      name: "results-are-not-held-against-their-schema",
      promise: 14,
      find: "if (issue === undefined || issue.isUndecided === true) return undefined return `at ",
      replace: "if (issue !== undefined) return undefined\n  return `at ",
      title: "finds a result that does not fit"
    }
  ]
} satisfies Mutants
