import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/transport/src/Relay.ts",
  test: "packages/transport/test/Relay.test.ts",
  mutants: [
    {
      name: "relay-closes-at-the-end-of-input",
      promise: 19,
      find: `Effect.timeoutOption(from.owed.settled, limits.drain)`,
      replace: `Effect.timeoutOption(from.owed.settled, 0)`
    },
    {
      name: "relay-waits-for-answers-for-ever",
      promise: 19,
      find: `Effect.timeoutOption(from.owed.settled, limits.drain)`,
      replace: `Effect.timeoutOption(from.owed.settled, Infinity)`
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
      name: "relay-drops-bad-frames",
      promise: 14,
      find: `.map(() => parseError)`,
      replace: `.flatMap(() => [] as Array<string>)`
    },
    {
      name: "relay-waits-for-ever-for-a-side-that-takes-nothing",
      promise: 18,
      find: `stalled(limits.writeStall)`,
      replace: `stalled(Infinity)`
    },
    {
      name: "relay-tells-what-ended-last",
      promise: 19,
      title: "what ended first is told",
      find: `first ??= end`,
      replace: `first = end`
    },
    {
      name: "relay-keeps-ids-of-any-length",
      promise: 5,
      title: "a request whose id is too long to be kept",
      find: `id.length > longestId`,
      replace: `id === ""`
    }
  ]
} satisfies Mutants
