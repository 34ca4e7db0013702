import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/internal/Pattern.ts",
  test: "packages/mcp/test/client/JsonSchemaCheck.test.ts",
  mutants: [
    {
      name: "groups-may-repeat",
      promise: 17,
      find: `|| count === undefined) return undefined`,
      replace: `) return undefined`,
      title: "those that could take long"
    },
    {
      name: "long-texts-are-run",
      promise: 17,
      find: `text.length > longest ? undefined :`,
      replace: `text.length > 1e9 ? undefined :`,
      title: "those that could take long"
    }
  ]
} satisfies Mutants
