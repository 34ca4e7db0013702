import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/McpClientToolkit.ts",
  test: "packages/mcp/test/client/McpClientToolkit.test.ts",
  mutants: [
    {
      name: "models-see-names-they-refuse",
      promise: 14,
      find: `const known = wanted.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, longestName) || "_"`,
      replace: `const known = wanted`,
      title: "a model is offered them"
    },
    {
      name: "a-tools-failure-ends-the-program",
      promise: 14,
      find: `options.failureMode ?? "return"`,
      replace: `options.failureMode ?? "error"`,
      title: "a tool that fails is seen by the model"
    },
    {
      name: "pictures-are-text",
      promise: 14,
      find: `return Prompt.filePart({ mediaType: block.mimeType, data: block.data })`,
      replace: `return text(block.data)`,
      title: "pictures and files"
    },
    {
      name: "a-name-hides-its-tool",
      promise: 14,
      find: `known === "__proto__" ? known.slice(1) : known`,
      replace: `known`,
      title: "every name that a server may choose"
    }
  ]
} satisfies Mutants
