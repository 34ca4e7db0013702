import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/conform/src/internal/values",
  test: "packages/conform/test/values/values.test.ts",
  mutants: [
    {
      name: "a-written-value-is-not-held-against-its-schema",
      promise: 14,
      find: "return value !== undefined && fits(value) ? { value, parts } : undefined",
      replace: "return value !== undefined ? { value, parts } : undefined",
      title: "fit, or do not fit, by another implementation"
    },
    {
      name: "a-misfit-is-not-held-against-its-schema",
      promise: 14,
      find: "if (found.has(text) || !isMisfit(value)) continue",
      replace: "if (found.has(text)) continue",
      title: "fit, or do not fit, by another implementation"
    },
    {
      name: "a-misfit-at-random-is-not-held-against-its-schema",
      promise: 14,
      find: "value === undefined || !isMisfit(value)) continue",
      replace: "value === undefined) continue",
      title: "fit, or do not fit, also those at random"
    },
    {
      name: "choices-are-never-left-as-they-are",
      promise: 14,
      find: "choice < Math.min(count, mostOfOne)",
      replace: "choice < Math.min(count, 2)",
      title: "stand at the boundaries first"
    },
    {
      name: "a-condition-has-one-end",
      promise: 14,
      find: "choices.next(2) === 0 ? [condition, yes ?? true]",
      replace: "choices.next(2) >= 0 ? [condition, yes ?? true]",
      title: "follow a condition to either end"
    },
    {
      name: "examples-of-texts-come-behind",
      promise: 14,
      find: `named[type === "object" || type === "array" ? at - 1 : at]`,
      replace: "named[at - 1]",
      title: "begin with the examples that fit"
    }
  ]
} satisfies Mutants
