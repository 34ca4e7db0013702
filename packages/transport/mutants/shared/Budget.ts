import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

/** Who hears that a budget has room again. */
export default {
  file: "packages/transport/src",
  test: "packages/transport/test/shared/Budget.test.ts",
  mutants: [
    {
      name: "a-share-ends-one-connection-for-ever",
      promise: 17,
      title: "the budget ends one connection after another",
      find: `this.isLeaving = false this.pool.returned(this)`,
      replace: ``
    },
    {
      name: "what-is-not-read-ends-nobody",
      promise: 17,
      test: "packages/peer/test/regression/unread.test.ts",
      find: `if (now !== "none") this.pool.relieve(this)`,
      replace: ``
    },
    {
      name: "who-may-still-read-is-ended-at-once",
      promise: 17,
      test: "packages/peer/test/regression/unread.test.ts",
      find: `left < this.limit + guaranteed * this.guarantee`,
      replace: `left < this.limit`
    },
    {
      name: "the-writer-is-ended-before-it-can-be-read",
      promise: 17,
      test: "packages/peer/test/regression/unread.test.ts",
      find: `next !== undefined && this.#writers.has(next.share)`,
      replace: `next !== undefined && false`
    },
    {
      name: "what-waits-for-room-is-kept-without-end",
      promise: 17,
      title: "the budget ends those that keep the most",
      find: `this.pool.keep(this, weight)`,
      replace: ``
    },
    {
      name: "a-share-that-returns-keeps-what-it-likes",
      promise: 17,
      title: "the budget ends those that keep the most, also where",
      find: `queueMicrotask(() => this.#trim())`,
      replace: ``
    },
    {
      name: "who-keeps-alone-ends",
      promise: 17,
      title: "the budget ends those that keep the most",
      find: `this.#keeping > 1 && this.#kept > this.limit / 8`,
      replace: `this.#keeping > 0 && this.#kept > this.limit / 8`
    },
    {
      name: "the-lightest-unread-ends",
      promise: 17,
      title: "the budget ends those who take nothing",
      find: `this.#ranks.add(rank, -this.#weightOf(rank.share))`,
      replace: `this.#ranks.add(rank, this.#weightOf(rank.share))`
    },
    {
      name: "who-grows-keeps-its-place-behind-lighter-ones",
      promise: 17,
      test: "packages/transport/test/shared/eviction.test.ts",
      title: "ends the share that has become the heaviest",
      find: `if (weight >= 0) return this.rank(part)`,
      replace: `if (weight >= 0) return`
    },
    {
      name: "room-is-given-back-in-silence",
      promise: 22,
      find: `this.isCalm = false
    this.#refused`,
      replace: `this.#refused`
    },
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
      find: `if (this.isSpent()) return const waiter`,
      replace: `if (this.pool.isSpent()) return; const waiter`
    },
    {
      name: "the-guarantee-has-room-in-silence",
      promise: 22,
      find: `pool.forget(this) this.tell()`,
      replace: ``
    },
    {
      name: "who-waits-is-looked-for",
      promise: 22,
      test: "packages/transport/test/shared/leastFirst.test.ts",
      find: `if (above === undefined || isBefore(above, member)) return`,
      replace: `if (above === undefined || !this.#members.some((one) => isBefore(member, one))) return`
    },
    {
      name: "who-leaves-takes-the-order-along",
      promise: 22,
      test: "packages/transport/test/shared/leastFirst.test.ts",
      find: `this.#rise(last) this.#sink(last)`,
      replace: `this.#rise(last)`
    },
    {
      name: "a-spent-budget-ranks-everybody",
      promise: 12,
      test: "packages/bench/test/loaded/looks.slow.test.ts",
      title: "loaded/connections",
      find: `if (weight >= 0) return this.rank(part)`,
      replace: `if (weight >= 0) return [...this.#parts].forEach((other) => this.rank(other))`
    }
  ]
} satisfies Mutants
