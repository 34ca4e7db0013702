import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/peer/src/internal/LiveSession.ts",
  test: "packages/peer/test/Lanes.test.ts",
  mutants: [
    {
      name: "a-session-that-rested-begins-its-ids-anew",
      promise: 16,
      find: `    this.#lastId = this.#conversation.lastId()\n`,
      replace: ``
    },
    {
      name: "a-session-rests-while-calls-of-ours-wait",
      promise: 7,
      test: "packages/peer/test/Session.test.ts",
      title: "sends by a lane of its own what belongs to no request",
      find: `if (this.#conversation?.isOver() !== true) return`,
      replace: `if (this.#conversation?.isQuiet() !== true) return`
    },
    {
      name: "a-lane-outlives-its-answer",
      promise: 9,
      find: `          way?.close()\n          resume(`,
      replace: `          resume(`
    },
    {
      name: "a-session-that-closes-leaves-its-handlers",
      promise: 9,
      find: `if (this.#conversation === undefined || this.#conversation.isQuiet()) return resume(Effect.void)`,
      replace: `return resume(Effect.void)`
    },
    {
      name: "a-session-outlives-its-end",
      promise: 9,
      find: `    if (this.over !== undefined) this.#conversation.close(this.over)\n`,
      replace: ``
    },
    {
      name: "a-session-takes-notifications-without-bound",
      promise: 17,
      find: `      if (dispatcher.isOverrun()) this.#end({ _tag: "Overrun" })\n`,
      replace: ``
    },
    {
      name: "a-pause-holds-nothing-in-a-session",
      promise: 18,
      test: "packages/peer/test/Session.test.ts",
      title: "a pause holds what comes",
      find: `this.#pauses?.isPaused() === true\n        ?`,
      replace: `this.over !== undefined && this.#pauses !== undefined\n        ?`
    }
  ]
} satisfies Mutants
