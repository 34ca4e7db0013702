import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/internal/server/lists.ts",
  test: "packages/mcp/test/server/lists.test.ts",
  mutants: [
    {
      name: "page-skips-an-entry",
      promise: 11,
      find: `this.#pageFrom(wire, names, last + 1, finish)`,
      replace: `this.#pageFrom(wire, names, last + 2, finish)`,
      title: "is neither listed nor served"
    },
    {
      name: "cursor-of-another-list-is-taken",
      promise: 14,
      find: `text?.startsWith(prefix) === true ? text.slice(prefix.length) : undefined`,
      replace: `text?.slice(text.indexOf(" ") + 1)`,
      title: "knows only its own cursors"
    }
  ]
} satisfies Mutants
