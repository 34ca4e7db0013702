import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

/** When a write that waits counts as one that nobody reads. */
export default {
  file: "packages/transport/src/host/Reader.ts",
  test: "packages/transport/test/host/Reader.test.ts",
  mutants: [
    {
      name: "a-stalled-write-is-waited-for-as-long-again",
      promise: 18,
      find: `return this.#writeStall - patience`,
      replace: `return this.#writeStall`,
      title: "a write that waits is given up after all of its time"
    },
    {
      name: "a-short-time-is-waited-for-twice",
      promise: 18,
      find: `this.#writeStall <= patience`,
      replace: `this.#writeStall < patience`,
      title: "a write whose time is short is given up"
    },
    {
      name: "the-budget-is-told-of-who-reads-all",
      promise: 18,
      find: `if (this.isBehind) this.#tell(this.#state)`,
      replace: `this.#tell(this.isBehind ? this.#state : "waiting")`,
      title: "the budget is told of what is added"
    }
  ]
} satisfies Mutants
