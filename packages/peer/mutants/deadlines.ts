import type { Mutants } from "../../../tools/mutants/Mutant.ts"

/** The one fiber that all deadlines of a conversation share. */
export default {
  file: "packages/peer/src/internal/timer",
  test: "packages/peer/test/Ends.test.ts",
  mutants: [
    {
      name: "early",
      promise: 21,
      find: `this.now() : roundUp(this.now() + wait)`,
      replace: `this.now() : roundUp(this.now() + wait) - 2 * grain`
    },
    {
      name: "late",
      promise: 21,
      find: `this.now() : roundUp(this.now() + wait)`,
      replace: `this.now() : roundUp(this.now() + wait) + 2 * grain`
    },
    {
      name: "no-wait-takes-a-while",
      promise: 21,
      test: "packages/peer/test/regression/immediate.test.ts",
      title: "a call with a timeout of 0 has ended before it is written",
      find: `wait === 0 ? this.now() :`,
      replace: `wait < 0 ? this.now() :`
    },
    {
      name: "shorter-timeouts-wait-for-longer-ones",
      promise: 21,
      find: `if (due < this.#wakes) this.#wakeAt(due)`,
      replace: `if (this.#wakes === Number.POSITIVE_INFINITY) this.#wakeAt(due)`
    },
    {
      name: "the-timer-outlives-the-last-call",
      promise: 21,
      title: "promise 21: no timer without need: callers in a loop",
      find: `this.#willStop = false if (this.#isEmpty()) this.#stop()`,
      replace: `this.#willStop = false`
    },
    {
      name: "a-deadline-that-clears-its-queue-leaves-a-timer",
      promise: 21,
      test: "packages/peer/test/regression/deadlines.test.ts",
      find: `if (this.#wakes === Number.NEGATIVE_INFINITY) return`,
      replace: ``
    },
    {
      name: "each-call-starts-a-timer",
      promise: 21,
      title: "promise 21: no timer without need: callers in a loop",
      find: `if (this.#isEmpty()) this.#stopSoon()`,
      replace: `if (this.#isEmpty()) this.#stop()`
    }
  ]
} satisfies Mutants
