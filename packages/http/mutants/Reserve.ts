import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/http/src/internal/Reserve.ts",
  test: "packages/http/test/shared/AnswerReader.test.ts",
  mutants: [
    {
      name: "an-answer-takes-no-more-than-it-holds",
      promise: 22,
      title: "answers that grow at the same time take turns",
      find: `Math.min(this.#announced, this.#limit) : this.#limit`,
      replace: `Math.min(this.#announced, this.#limit) : bytes`
    },
    {
      name: "an-answer-hears-of-room-with-all-that-wait",
      promise: 22,
      title: "thousands that grow at the same time",
      find: `(again) => share.onRoom(again)`,
      replace: `(again) => (this.#budget.isSpent(), this.#budget.onRoom(again))`
    },
    {
      name: "an-answer-that-was-given-up-takes-room",
      promise: 8,
      title: "one that is given up while it waits",
      find: `(again) => share.onRoom(again)`,
      replace: `(again) => (share.onRoom(again), () => {})`
    }
  ]
} satisfies Mutants
