import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/node/src/internal/sqlite",
  test: "packages/node/test/sqlite/NodeSqliteJournal.test.ts",
  mutants: [
    {
      name: "an-older-epoch-writes-to-a-file",
      promise: 9,
      find: `epoch < known.epoch ? { newest: known.epoch } : change(known)`,
      replace: `change(known)`,
      title: "is there for who opens it again"
    },
    {
      name: "a-key-that-is-there-again-is-followed-on",
      promise: 22,
      find: `if (born !== undefined && known?.born !== born) return undefined`,
      replace: ``,
      title: "ends who follows a key that another process drops"
    },
    {
      name: "a-change-does-not-wait-for-that-of-another-process",
      promise: 12,
      title: "waits for the lock of another process beside the event loop",
      find: `left <= 0 || !isBusy(cause)`,
      replace: `left <= 0 || isBusy(cause)`
    },
    {
      name: "each-waits-as-long-as-all-before-it",
      promise: 22,
      title: "refuses all that have waited for",
      find: `this.#turn.withPermit(this.#attempt(use, deadline, shortest))`,
      replace:
        `this.#turn.withPermit(Effect.suspend(() => this.#attempt(use, Monotonic.now(this.#clock) + this.#busy, shortest)))`
    }
  ]
} satisfies Mutants
