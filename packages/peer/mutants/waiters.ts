import type { Mutants } from "../../../tools/mutants/Mutant.ts"

/** Those who wait in a conversation until something holds. */
export default {
  file: "packages/peer/src/internal/conversation/Waiters.ts",
  test: "packages/peer/test/regression/room.test.ts",
  mutants: [
    {
      name: "each-step-asks-all-who-wait",
      promise: 22,
      title: "promise 22: when nothing moves, nothing waits that could move: and a thousand",
      find: `vain < most;`,
      replace: `;`
    },
    {
      name: "a-step-asks-only-a-few-of-those-who-wait",
      promise: 22,
      title:
        "promise 22: when nothing moves, nothing waits that could move: nor what somebody begins to listen to, behind",
      find: `if (this.#isDue && !this.#isGoingOn) this.#goOn()`,
      replace: ``
    },
    {
      name: "a-turn-asks-the-same-ones-again",
      promise: 22,
      title: "promise 22: when nothing moves, nothing waits that could move: nor texts that together",
      find: `rest ??= this.#all.values()`,
      replace: `rest = this.#all.values()`
    },
    {
      name: "a-turn-asks-outside-of-a-step",
      promise: 22,
      test: "packages/peer/test/regression/waiters.test.ts",
      find: `        this.#conversation.step()
        this.#isTurn = false`,
      replace: `        this.look()
        this.#isTurn = false`
    },
    {
      name: "who-stands-in-the-middle-is-not-asked-after-what-happens-meanwhile",
      promise: 22,
      test: "packages/peer/test/regression/waiters.test.ts",
      find: `rest !== undefined || this.#isDue`,
      replace: `rest !== undefined || (this.#isDue && (this.#isDue = false))`
    }
  ]
} satisfies Mutants
