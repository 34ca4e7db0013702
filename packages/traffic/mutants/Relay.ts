import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/traffic/src/Relay.ts",
  test: "packages/traffic/test/Relay.test.ts",
  mutants: [
    {
      name: "relay-weighs-only-the-text",
      promise: 18,
      find: `budget.take(weight)`,
      replace: `budget.take(weight / 2)`
    },
    {
      name: "relay-loses-a-response-that-is-too-large",
      promise: 7,
      test: "packages/traffic/test/relayedFrames.test.ts",
      title: "a response that is no UTF-8 fails its call at once",
      find: `kind !== "response" || id === undefined || !owed.has(keyOf(id))`,
      replace: `reason !== "TooLarge" || id === undefined`
    },
    {
      name: "relay-answers-every-bad-frame",
      promise: 20,
      test: "packages/traffic/test/relayedFrames.test.ts",
      title: "its sender gets what a peer answers",
      find: `ErrorReply.toBadFrame(each, dialect)`,
      replace: `ErrorReply.toBadFrame({ ...each, kind: "request" }, dialect)`
    },
    {
      name: "relay-counts-no-bad-frames",
      promise: 14,
      title: "promise 14: one bad message costs one error reply: the limit `badFrames` ends a side",
      find: `bad >= limits.badFrames ? ended`,
      replace: `bad < 0 ? ended`
    },
    {
      name: "relay-forgets-no-bad-frame",
      promise: 14,
      title: "promise 14: one bad message costs one error reply: the limit `badFrames` ends a side",
      find: `bad = 0
          texts.push`,
      replace: `texts.push`
    },
    {
      name: "relay-settles-before-it-sends",
      promise: 19,
      find: `for (const { asked } of ids) from.owed.add(asked)`,
      replace: `for (const { asked, answered } of ids) {
        from.owed.add(asked)
        to.owed.settle(answered)
      }`
    },
    {
      name: "relay-tells-what-ended-last",
      promise: 19,
      title: "what ended first is told",
      find: `first ??= end`,
      replace: `first = end`
    },
    {
      name: "relay-reads-while-the-budget-is-spent",
      promise: 22,
      find: `this.#isThere() ? Effect.void :`,
      replace: `this.#isThere() || true ? Effect.void :`
    },
    {
      name: "relay-reads-nothing-while-a-write-waits",
      promise: 22,
      title: "promise 22: when nothing moves, nothing waits that could move: a side that serves one",
      find: `|| this.readers.some(({ isBehind }) => isBehind)`,
      replace: ``
    },
    {
      name: "relay-does-not-hear-that-a-write-waits",
      promise: 22,
      title: "promise 22: when nothing moves, nothing waits that could move: a side that reads only",
      find: `if (before === "none") this.#look()`,
      replace: ``
    }
  ]
} satisfies Mutants
