import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/cli/src/internal/proxy/ExchangeTransport.ts",
  test: "packages/cli/test/ExchangeTransport.test.ts",
  mutants: [
    {
      name: "exchange-transport-forgets-order",
      promise: 13,
      find: `return asked.isOrdered`,
      replace: `return false`,
      title: "keeps the place of a notification"
    },
    {
      name: "exchange-transport-lets-posts-run",
      promise: 8,
      find: `Scope.close(posts, Exit.void)`,
      replace: `Effect.void`,
      title: "gives up what runs when it closes"
    },
    {
      name: "exchange-transport-receives-without-bound",
      promise: 18,
      find: `Queue.bounded<string, TransportError.TransportError>(unread)`,
      replace: `Queue.unbounded<string, TransportError.TransportError>()`,
      title: "lets what comes back wait while nobody receives"
    }
  ]
} satisfies Mutants
