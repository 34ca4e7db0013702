import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/internal/revision/content.ts",
  test: "packages/mcp/test/revision/Wire.test.ts",
  mutants: [
    {
      name: "sound-before-there-was-sound",
      promise: 2,
      find: `return traits.audio`,
      replace: `return !traits.audio`,
      title: "says in a text what sound or link is missing"
    },
    {
      name: "icons-before-there-were-icons",
      promise: 2,
      find: `block.type === "resource_link" ? omit(block, "icons") : block`,
      replace: `block`,
      title: "says in a text what sound or link is missing"
    }
  ]
} satisfies Mutants
