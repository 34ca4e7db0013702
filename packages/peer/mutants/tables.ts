import type { Mutants } from "../../../tools/mutants/Mutant.ts"

/** The tables that hold the calls of a conversation. */
export default {
  file: "packages/peer/src/internal",
  test: "packages/peer/test/Tables.test.ts",
  mutants: [
    {
      name: "a-call-that-ends-takes-those-before-it-along",
      promise: 7,
      find: `else earlier.next = call.next`,
      replace: `else chains[at] = call.next`
    },
    {
      name: "a-call-that-ends-takes-those-behind-it-along",
      promise: 7,
      find: `if (earlier === undefined) chains[at] = call.next`,
      replace: `if (earlier === undefined) chains[at] = undefined`
    },
    {
      name: "many-calls-stand-in-few-chains",
      promise: 7,
      find: `if (this.size > this.#chains.length)`,
      replace: `if (this.size > 64 * this.#chains.length)`
    },
    {
      name: "calls-close-in-the-order-of-their-slots",
      promise: 7,
      find: `.sort((a, b) => a.id - b.id)`,
      replace: ``
    },
    {
      name: "a-table-stays-large",
      promise: 8,
      find: `8 * this.size < chains.length`,
      replace: `this.size < 0`
    }
  ]
} satisfies Mutants
