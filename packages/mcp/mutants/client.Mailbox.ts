import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/internal/client/Mailbox.ts",
  test: "packages/mcp/test/client/Changes.test.ts",
  mutants: [
    {
      name: "changes-pile-up",
      promise: 17,
      find: `if (waiting.has(key)) return`,
      replace: `if (waiting.has(key)) key += waiting.size`,
      title: "a slow reader is told once"
    },
    {
      name: "what-does-not-fit-is-dropped-in-silence",
      promise: 17,
      find: `waiting.set("overrun", overrun)`,
      replace: `waiting.delete("overrun")`,
      title: "a reader that is too slow"
    }
  ]
} satisfies Mutants
