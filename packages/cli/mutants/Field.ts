import type { Mutants } from "../../../tools/mutants/Mutant.ts"

const title = "is asked field by field: what does not fit is asked again, and what may be left out can be"

export default {
  file: "packages/cli/src/internal/mcp/Field.ts",
  test: "packages/cli/test/mcp/Asked.test.ts",
  mutants: [
    {
      name: "field-takes-any-number",
      promise: 7,
      find: `value > maximum`,
      replace: `value > Infinity`,
      title
    },
    {
      name: "field-sends-nothing-as-a-text",
      promise: 7,
      find: `if (text === "" && !isRequired)`,
      replace: `if (text === null && !isRequired)`,
      title
    }
  ]
} satisfies Mutants
