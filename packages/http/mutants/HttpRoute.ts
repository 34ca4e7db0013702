import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/http/src/HttpRoute.ts",
  test: "packages/node/test/NodeHttp.test.ts",
  mutants: [
    {
      name: "a-client-that-goes-away-interrupts-nothing",
      promise: 8,
      find: `  Effect.interruptible(Effect.flatMap(`,
      replace: `  Effect.uninterruptible(Effect.flatMap(`
    },
    {
      name: "events-pile-up-for-who-does-not-read",
      promise: 18,
      find: `Queue.bounded<string, Cause.Done>(1)`,
      replace: `Queue.unbounded<string, Cause.Done>()`
    }
  ]
} satisfies Mutants
