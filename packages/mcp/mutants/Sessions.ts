import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/internal/httpServer/Sessions.ts",
  test: "packages/mcp/test/http-server/sessions.test.ts",
  mutants: [
    {
      name: "what-is-at-work-expires",
      promise: 9,
      find: `session.used = now
`,
      replace: ``,
      title: "do not end while something runs in them, or their stream is read"
    },
    {
      name: "a-session-is-anybodys",
      promise: 9,
      find: ` || session.isEnded || session.principal !== principal`,
      replace: ` || session.isEnded`,
      title: "belongs to who began it"
    },
    {
      name: "sessions-without-end",
      promise: 17,
      find: `if (held.size < max) return true`,
      replace: `if (max > 0) return true`,
      title: "make room for new ones, the one that was used longest ago first"
    },
    {
      name: "a-stored-session-is-anybodys",
      promise: 9,
      test: "packages/mcp/test/http-server/takeover.test.ts",
      find: `return yield* hold({ id, principal, record: connection })`,
      replace: `return yield* hold({ id, principal: undefined, record: connection })`,
      title: "gives a session to nobody but who began it"
    },
    {
      name: "a-deleted-session-comes-back",
      promise: 9,
      test: "packages/mcp/test/http-server/slowStores.test.ts",
      find: ` || removing.has(id)`,
      replace: ``,
      title: "a session that is deleted does not come back from it"
    },
    {
      name: "a-deleted-session-is-kept",
      promise: 9,
      test: "packages/mcp/test/http-server/slowStores.test.ts",
      find: `writing.withPermit(store.remove(id))`,
      replace: `store.remove(id)`,
      title: "a session that is deleted is not written to it again"
    },
    {
      name: "a-session-is-taken-over-twice",
      promise: 9,
      test: "packages/mcp/test/http-server/slowStores.test.ts",
      find: `restoring.set(id, fiber)`,
      replace: ``,
      title: "a session is taken over once"
    },
    {
      name: "a-store-is-asked-for-anything",
      promise: 17,
      test: "packages/mcp/test/http-server/slowStores.test.ts",
      find: ` || !isId.test(id)`,
      replace: ``,
      title: "is not asked for what cannot be the id of a session"
    },
    {
      name: "a-store-hears-of-no-streams",
      promise: 9,
      test: "packages/mcp/test/http-server/slowStores.test.ts",
      find: `told.push(keep(session))`,
      replace: ``,
      title: "knows that a session is used whose stream is read"
    },
    {
      name: "what-runs-on-has-no-bound",
      promise: 17,
      find: `if (left > budget) {`,
      replace: `if (budget < 0) {`,
      title: "hold no more than there may be in all"
    },
    {
      name: "what-ran-on-is-counted-for-ever",
      promise: 17,
      find: `return () => count(-weight)`,
      replace: `return () => count(0)`,
      title: "hold nothing when they have ended"
    }
  ]
} satisfies Mutants
