import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/transport/src/traffic/Relay.ts",
  test: "packages/transport/test/traffic/Relay.test.ts",
  mutants: [
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
    }
  ]
} satisfies Mutants
