import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/cli/src/internal/mcp/Margin.ts",
  test: "packages/cli/test/mcp/shapes.test.ts",
  mutants: [
    {
      name: "margin-lets-the-bar-wrap",
      promise: 7,
      find: `.slice(0, columns - 1)`,
      replace: `.slice(0, 1_000)`,
      title: "keeps one bar below the lines on a terminal"
    },
    {
      name: "margin-lets-others-drive-the-terminal",
      promise: 7,
      find: `\`\${printable(text)}\\n\``,
      replace: `\`\${text}\\n\``,
      title: "writes lines elsewhere, and control characters as what they are"
    }
  ]
} satisfies Mutants
