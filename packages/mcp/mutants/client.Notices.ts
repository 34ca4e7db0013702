import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/internal/client/Notices.ts",
  test: "packages/mcp/test/client/Changes.test.ts",
  mutants: [
    {
      name: "only-one-stream-hears",
      promise: 11,
      find: `for (const { hear } of [...entries]) hear(params)`,
      replace: `[...entries][0]?.hear(params)`,
      title: "a resource is subscribed to while"
    }
  ]
} satisfies Mutants
