import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

/** What is read ahead, and what the budget hears of it. */
export default {
  file: "packages/peer/src/internal/lanes/ReadLoop.ts",
  test: "packages/peer/test/regression/kept.test.ts",
  mutants: [
    {
      name: "texts-that-wait-for-room-are-not-kept-in-mind",
      promise: 17,
      test: "packages/peer/test/regression/kept.test.ts",
      find: `this.#budget.keep(more)`,
      replace: ``
    },
    {
      name: "texts-that-have-found-room-are-still-kept",
      promise: 17,
      test: "packages/peer/test/regression/kept.test.ts",
      find: `const weight = this.size > enoughAhead ? this.#weight ?? 0 : 0`,
      replace: `const weight = this.size > enoughAhead ? this.#weight ?? 0 : this.#kept`
    },
    {
      name: "empty-texts-are-read-ahead-without-end",
      promise: 17,
      test: "packages/peer/test/regression/ahead.test.ts",
      find: `Math.max(received.length, badSize)`,
      replace: `received.length`
    }
  ]
} satisfies Mutants
