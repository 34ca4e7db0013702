import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

/** When a write that waits counts as one that nobody reads. */
export default {
  file: "packages/transport/src/shared/Reader.ts",
  test: "packages/transport/test/shared/Reader.test.ts",
  mutants: [
    {
      name: "a-stalled-write-is-waited-for-as-long-again",
      promise: 18,
      find: `return (isStalled ? this.#writeStall : Math.min(patience, this.#writeStall)) - idle`,
      replace: `return isStalled ? this.#writeStall : Math.min(patience, this.#writeStall) - idle`,
      title: "a write that waits is given up after all of its time"
    },
    {
      name: "a-short-time-is-waited-for-twice",
      promise: 18,
      find: `Math.min(patience, this.#writeStall)`,
      replace: `patience`,
      title: "a write whose time is short is given up"
    },
    {
      name: "the-budget-is-told-of-who-reads-all",
      promise: 18,
      find: `if (this.isBehind) this.#tell(this.#state)`,
      replace: `this.#tell(this.isBehind ? this.#state : "waiting")`,
      title: "the budget is told of what is added"
    },
    {
      name: "a-pause-that-begins-in-a-long-sleep-is-seen-late",
      promise: 18,
      find: `Effect.sleep(Math.min(left, patience))`,
      replace: `Effect.sleep(left)`,
      title: "a write is watched from where it last made progress"
    }
  ]
} satisfies Mutants
