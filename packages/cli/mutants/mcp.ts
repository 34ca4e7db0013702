import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/cli/src",
  test: "packages/cli/test/mcp/shapes.test.ts",
  mutants: [
    {
      name: "margin-lets-others-drive-the-terminal",
      promise: 7,
      find: "`${printable(text)}\\n`",
      replace: "`${text}\\n`",
      title: "writes lines elsewhere, and control characters as what they are"
    },
    {
      name: "tool-arguments-are-any-json",
      promise: 7,
      find: "if (!fits(value, tool.inputSchema, schema)) return",
      replace: "if (!fits(value, tool.inputSchema, {})) return",
      title: "are refused where one is missing, unknown or of another type"
    }
  ]
} satisfies Mutants
