import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/json-schema/src",
  test: "packages/json-schema/test/example.test.ts",
  mutants: [
    {
      name: "an-example-does-not-look-ahead",
      promise: 14,
      find: "return part.isNegated || add(part.part)",
      replace: "return true",
      title: "meets what it looks ahead to"
    },
    {
      name: "an-example-is-not-held-against-its-pattern",
      promise: 14,
      find: "text !== undefined && test(text) === true ? text : undefined",
      replace: "text",
      title: "is not there where nothing was found that matches"
    },
    {
      name: "a-reference-is-resolved-from-the-whole",
      promise: 14,
      test: "packages/json-schema/test/References.test.ts",
      find: "below: (schema, { resource }) => ({ schema, resource: names.resourceOf(schema, resource) })",
      replace: "below: (schema, { resource }) => ({ schema, resource })",
      title: "from the resource that it stands in"
    }
  ]
} satisfies Mutants
