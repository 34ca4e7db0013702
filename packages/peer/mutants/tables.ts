import type { Mutants } from "../../../tools/mutants/Mutant.ts"

/** The tables that hold the calls of a conversation. */
export default {
  file: "packages/peer/src/internal",
  test: "packages/peer/test/Tables.test.ts",
  mutants: [
    {
      name: "a-call-behind-one-that-ended-is-not-found",
      promise: 7,
      find: `slots[gap] = next gap = at at = at + 1 & last`,
      replace: `break`
    },
    {
      name: "a-foreign-id-is-sought-among-all-calls",
      promise: 7,
      find: `if (call === undefined || (at - call.id & last) < far) return -1`,
      replace: `if (call === undefined) return -1`
    },
    {
      name: "a-call-moves-before-its-slot",
      promise: 7,
      find: `(at - next.id & last) > 0`,
      replace: `next.id > 0`
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
      find: `8 * this.size < slots.length`,
      replace: `this.size < 0`
    },
    {
      name: "who-leaves-a-roster-keeps-its-neighbours",
      promise: 8,
      find: `member.earlier = undefined member.later = undefined`,
      replace: ``
    },
    {
      name: "the-last-of-a-roster-stays-the-last",
      promise: 8,
      find: `if (later === undefined) this.#last = earlier`,
      replace: `if (later === undefined) void earlier`
    }
  ]
} satisfies Mutants
