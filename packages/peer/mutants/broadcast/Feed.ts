import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

/** Streams of what is published. */
export default {
  file: "packages/peer/src",
  test: "packages/peer/test/broadcast/Feed.test.ts",
  mutants: [
    {
      name: "a-stream-is-never-woken",
      promise: 26,
      find: `waiter?.() })`,
      replace: `})`
    },
    {
      name: "the-text-of-an-item-is-kept-on-the-item",
      promise: 28,
      title: "publishes what an item is now",
      find: `Written.copy(json)`,
      replace: `Written.keep(json)`
    },
    {
      name: "a-slow-stream-ends-in-order",
      promise: 27,
      find: `Exit.fail(reason === "lagged" ? lagged(missed) : Cause.Done())`,
      replace: `Exit.fail(Cause.Done())`
    },
    {
      name: "what-an-interrupted-stream-leaves-waits-for-ever",
      promise: 27,
      title: "counts what an interrupted stream leaves",
      find: `this.audience.remove(this, "ended") this.drop()`,
      replace: `this.audience.remove(this, "ended")`
    }
  ]
} satisfies Mutants
