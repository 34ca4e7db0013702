import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/internal/client/Session.ts",
  test: "packages/mcp/test/client/Sessions.test.ts",
  mutants: [
    {
      name: "each-call-makes-a-session",
      promise: 7,
      find: `if (known !== undefined) return Deferred.await(known)`,
      replace: ``,
      title: "it is made again once however many calls"
    },
    {
      name: "a-session-belongs-to-its-first-caller",
      promise: 8,
      find:
        `return Effect.andThen(Effect.forkIn(Effect.exit(run), scope, { startImmediately: true }), Deferred.await(made))`,
      replace: `return run as Effect.Effect<any, never>`,
      title: "a call that is interrupted while a session"
    },
    {
      name: "nobody-hears-of-a-new-session",
      promise: 11,
      find: `for (const hear of [...session.onRenewed]) hear()`,
      replace: ``,
      title: "subscriptions are made again"
    },
    {
      name: "a-call-goes-out-without-a-session",
      promise: 9,
      find: `    isStale = true
`,
      replace: ``,
      title: "where no new session can be made"
    },
    {
      name: "an-old-session-is-not-forgotten",
      promise: 9,
      find: `Effect.andThen(link.settle(undefined), Negotiation.handshake(options))`,
      replace: `Negotiation.handshake(options)`,
      title: "it is made again once however many calls"
    }
  ]
} satisfies Mutants
