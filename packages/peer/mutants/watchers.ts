import type { Mutants } from "../../../tools/mutants/Mutant.ts"

/** Those who wait in a conversation until something holds. */
export default {
  file: "packages/peer/src/internal/conversation/Watchers.ts",
  test: "packages/peer/test/regression/room.test.ts",
  mutants: [
    {
      name: "each-step-asks-all-who-wait",
      promise: 22,
      find: `if (vain === most) return false`,
      replace: ``
    },
    {
      name: "a-step-asks-only-a-few-of-those-who-wait",
      promise: 22,
      find: `if (this.#left > 0) this.#goOn()`,
      replace: ``
    },
    {
      name: "a-turn-asks-the-same-ones-again",
      promise: 22,
      find: `this.#next = watcher.later if (watcher.look())`,
      replace: `if (watcher.look())`
    },
    {
      name: "who-comes-later-takes-the-turn-of-another",
      promise: 22,
      test: "packages/peer/test/regression/watchers.test.ts",
      find: `if (this.#left > 0) this.#left++`,
      replace: ``
    }
  ]
} satisfies Mutants
