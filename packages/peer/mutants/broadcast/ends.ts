import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

/** The effects that wait for the end of a connection. */
export default {
  file: "packages/peer/src",
  test: "packages/peer/test/broadcast/onClose.test.ts",
  mutants: [
    {
      name: "a-withdrawn-effect-runs-at-the-end",
      promise: 25,
      find: `return () => void waiting.delete(run)`,
      replace: `return () => {}`
    },
    {
      name: "an-effect-that-comes-late-waits-for-ever",
      promise: 25,
      find: `if (this.#isOver) { run() return () => {} }`,
      replace: `if (this.#isOver) return () => {}`
    },
    {
      name: "the-first-effect-is-the-only-one",
      promise: 25,
      find: `waiting?.forEach((run) => run())`,
      replace: `waiting?.values().next().value?.()`
    },
    {
      name: "a-call-that-stands-alone-ends-many-times",
      promise: 25,
      title: "is bounded where a call stands alone, too",
      find: `if (call.alone !== undefined) return call.alone`,
      replace: ``
    },
    {
      name: "only-an-end-in-order-is-an-end",
      promise: 25,
      title: "promise 25: what waits for the end of a connection runs once, where",
      find: `this.connection?.end()`,
      replace: `if (reason._tag === "Closed") this.connection?.end()`
    }
  ]
} satisfies Mutants
