import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/internal/httpServer/MemoryEvents.ts",
  test: "packages/mcp/test/http-server/EventStore.test.ts",
  mutants: [
    {
      name: "a-large-answer-is-not-kept",
      promise: 17,
      find: `const spared = stream === newest ? 1 : 0`,
      replace: `const spared = 0`,
      title: "of one session are bounded, but for the newest"
    },
    {
      name: "events-without-end",
      promise: 17,
      find: `if (this.#size <= this.#total || other === kept) break`,
      replace: `if (this.#size > 0) break`,
      title: "of all sessions are bounded"
    }
  ]
} satisfies Mutants
