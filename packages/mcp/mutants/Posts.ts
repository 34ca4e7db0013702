import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/internal/httpClient/Posts.ts",
  test: "packages/mcp/test/http-client/sessions.test.ts",
  mutants: [
    {
      name: "a-lost-session-is-an-error-of-the-server",
      promise: 9,
      find: `if (response.status === 404 && session !== undefined) return expired(response, outgoing, session)`,
      replace: ``,
      title: "that the server knows no more fails its calls with SessionExpired"
    },
    {
      name: "the-session-is-not-kept",
      promise: 9,
      find: `if (isOpening) line.session = response.header(sessionHeader)`,
      replace: ``,
      title: "ends with the link, by DELETE"
    },
    {
      name: "a-stateless-call-is-resumed",
      promise: 7,
      test: "packages/mcp/test/http-client/posts.test.ts",
      find: `line.wire.traits.http !== "stateless"`,
      replace: `true`,
      title: "end with their stream: nothing is taken up again"
    },
    {
      name: "a-call-that-may-have-run-is-made-again",
      promise: 9,
      test: "packages/mcp/test/http-client/resuming.test.ts",
      find: `if (error.status === 404 && session !== undefined && line.session === session) onExpired()`,
      replace: `if (error.status === 404) outgoing.hasExpired = true`,
      title: "fails the call with Disconnected where the session is over"
    },
    {
      name: "calls-take-the-connections-of-answers",
      promise: 12,
      test: "packages/mcp/test/http-client/posts.test.ts",
      find: `places.withPermit(post(text, outgoing, take))`,
      replace: `post(text, outgoing, take)`,
      title: "leave connections for what the server asks within them"
    },
    {
      name: "an-error-without-an-id-is-none",
      promise: 14,
      test: "packages/mcp/test/http-client/posts.test.ts",
      find: `take(status < 300 ? text : withId(text))`,
      replace: `take(text)`,
      title: "a status with an error of JSON-RPC is that error"
    }
  ]
} satisfies Mutants
