import type { Mutants } from "../../../tools/mutants/Mutant.ts"

const title = "are refused where one is missing, unknown or of another type"

export default {
  file: "packages/cli/src/internal/mcp/ToolArguments.ts",
  test: "packages/cli/test/mcp/shapes.test.ts",
  mutants: [
    {
      name: "tool-arguments-may-be-missing",
      promise: 7,
      find: `if (isRequired) return`,
      replace: `if (isRequired && name === "") return`,
      title
    },
    {
      name: "tool-arguments-may-be-mistyped",
      promise: 7,
      find: `parameter === undefined && !ToolShape.isOpen(tool)`,
      replace: `parameter === null`,
      title
    },
    {
      name: "tool-arguments-are-any-json",
      promise: 7,
      find: `if (!fits(value, tool.inputSchema, schema)) return`,
      replace: `if (!fits(value, tool.inputSchema, {})) return`,
      title
    },
    {
      name: "tool-arguments-make-numbers-of-texts",
      promise: 7,
      find: `if (isValue && !(isText(schema) && fits(text, root, schema))) return`,
      replace: `if (Result.isSuccess(parsed)) return`,
      title: "become what the schema of each argument says"
    }
  ]
} satisfies Mutants
