import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/internal/httpClient/HttpLink.ts",
  test: "packages/mcp/test/http-client/sessions.test.ts",
  mutants: [
    {
      name: "a-modern-call-is-cancelled-twice",
      promise: 8,
      test: "packages/mcp/test/http-client/posts.test.ts",
      find: `current?.isModern === true || `,
      replace: ``,
      title: "that are interrupted are cancelled by that alone"
    },
    {
      name: "a-modern-server-is-answered",
      promise: 20,
      test: "packages/mcp/test/http-client/posts.test.ts",
      find: ` || line.wire?.traits.asks === "results"`,
      replace: ``,
      title: "are all that is posted, whatever the server asks"
    },
    {
      name: "a-legacy-call-is-cancelled-in-silence",
      promise: 8,
      test: "packages/mcp/test/http-client/posts.test.ts",
      find: `cancel: "notify"`,
      replace: `cancel: "giveUp"`,
      title: "that are interrupted end with their connection"
    },
    {
      name: "a-session-is-left-behind",
      promise: 9,
      find: `yield* Effect.addFinalizer(() => leave(line, drain))`,
      replace: ``,
      title: "ends with the link, by DELETE"
    },
    {
      name: "the-standing-stream-outlives-its-session",
      promise: 9,
      find: `Effect.andThen(FiberHandle.clear(standing), fallback.close)`,
      replace: `fallback.close`,
      title: "ends when the session is forgotten"
    },
    {
      name: "a-session-that-is-over-is-noticed-by-nobody",
      promise: 9,
      find: `return Effect.sync(host.onSessionExpired)`,
      replace: `return Effect.void`,
      title: "says when the session is over"
    },
    {
      name: "one-bad-event-is-read-for-ever",
      promise: 14,
      find: `place.id = undefined`,
      replace: ``,
      title: "goes on behind an event that cannot be read"
    },
    {
      name: "a-missing-stream-makes-sessions-without-end",
      promise: 17,
      find: `return place.isKnown || !wasDoubtful`,
      replace: `return true`,
      title: "makes no sessions without end"
    }
  ]
} satisfies Mutants
