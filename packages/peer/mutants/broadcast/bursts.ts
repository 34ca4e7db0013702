import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

/** Entries that are published in one turn. */
export default {
  file: "packages/peer/src",
  test: "packages/peer/test/broadcast/bursts.test.ts",
  mutants: [
    {
      name: "a-burst-is-told-in-one-turn",
      promise: 27,
      title: "ends no stream that takes at once",
      find: `return this.#isFull ?`,
      replace: `return this.#messages < 0 ?`
    },
    {
      name: "all-who-wait-are-let-in-at-once",
      promise: 27,
      title: "ends no connection that takes some in each turn",
      find: `if (this.#isFull) break`,
      replace: ``
    },
    {
      name: "what-is-published-meanwhile-comes-between",
      promise: 27,
      title: "comes behind, for each of them",
      find: `if (this.#isTelling) return`,
      replace: ``
    },
    {
      name: "those-who-leave-count-for-one-who-watches",
      promise: 27,
      title: "of those who leave ends nobody who watches",
      find: `weight: reason === undefined ? 1 : 0`,
      replace: `weight: 1`
    }
  ]
} satisfies Mutants
