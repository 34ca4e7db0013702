import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/internal/client/InSession.ts",
  test: "packages/mcp/test/client/Changes.test.ts",
  mutants: [
    {
      name: "the-first-stream-ends-the-subscription",
      promise: 8,
      find: `count(uri, -1) === 0`,
      replace: `count(uri, -1) >= 0`,
      title: "a resource is subscribed to while"
    },
    {
      name: "a-subscription-outlives-its-stream",
      promise: 8,
      find: `() => lock.withPermits(1)(end(uri))`,
      replace: `() => Effect.void`,
      title: "a resource is subscribed to while"
    },
    {
      name: "a-new-session-is-not-subscribed",
      promise: 11,
      test: "packages/mcp/test/client/Sessions.test.ts",
      find: `session.onRenewed.add(onRenewed)`,
      replace: ``,
      title: "subscriptions are made again"
    }
  ]
} satisfies Mutants
