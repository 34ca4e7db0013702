import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/internal/client/Lists.ts",
  test: "packages/mcp/test/client/Lists.test.ts",
  mutants: [
    {
      name: "circles-go-on",
      promise: 17,
      find: `if (seen.has(next)) {`,
      replace: `if (seen.size > 9_000) {`,
      title: "a server that goes in circles"
    },
    {
      name: "an-empty-cursor-is-the-end",
      promise: 14,
      find: `if (next === undefined) {`,
      replace: `if (!next) {`,
      title: "an empty cursor"
    },
    {
      name: "every-page-has-one-key",
      promise: 3,
      find: `const key = cursor === undefined ? "" : \`:\${cursor}\``,
      replace: `const key = ""`,
      title: "a page is kept"
    }
  ]
} satisfies Mutants
