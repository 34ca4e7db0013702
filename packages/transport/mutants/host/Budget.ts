import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

/** Who hears that a budget has room again. */
export default {
  file: "packages/transport/src",
  test: "packages/transport/test/host/Budget.test.ts",
  mutants: [
    {
      name: "room-is-told-of-where-there-was-none-alone",
      promise: 22,
      find: `else if (this.#next() !== undefined) this.#tellSoon()`,
      replace: ``
    },
    {
      name: "room-is-told-to-who-was-refused-nothing",
      promise: 22,
      title: "thousands who wait for room hear of it once",
      find: `    waiters.add(waiter)\n`,
      replace: `    waiters.add(waiter)\n    this.pool.refuse(this, anyRoom)\n`
    },
    {
      name: "who-shares-a-share-is-told-behind-the-first",
      promise: 22,
      title: "promise 22: when nothing moves, nothing waits that could move: of those who share",
      find: `if (this.pool.isSpent()) return void this.refuse(anyRoom)`,
      replace: `if (this.pool.isSpent()) return`
    },
    {
      name: "who-waits-is-looked-for",
      promise: 22,
      test: "packages/transport/test/host/leastFirst.test.ts",
      find: `if (above === undefined || isBefore(above, member)) return`,
      replace: `if (above === undefined || !this.#members.some((one) => isBefore(member, one))) return`
    },
    {
      name: "who-leaves-takes-the-order-along",
      promise: 22,
      test: "packages/transport/test/host/leastFirst.test.ts",
      find: `this.#rise(last) this.#sink(last)`,
      replace: `this.#rise(last)`
    }
  ]
} satisfies Mutants
