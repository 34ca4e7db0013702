import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src",
  test: "packages/mcp/test/http-client/posts.test.ts",
  mutants: [
    {
      name: "a-ping-sets-the-waits-back",
      promise: 21,
      test: "packages/mcp/test/http-client/resuming.test.ts",
      find: `if (event.event !== "message") return undefined`,
      replace: `place.isFresh = true; if (event.event !== "message") return undefined`,
      title: "waits longer each time while nothing comes but"
    },
    {
      name: "a-refusal-is-lost-on-the-way-back",
      promise: 7,
      test: "packages/mcp/test/http-client/older.test.ts",
      find: "Effect.andThen(handOn(held, take), Effect.fail(error))",
      replace: "Effect.fail(error)",
      title: "that is not there leaves the refusal as it came"
    },
    {
      name: "a-legacy-call-is-cancelled-in-silence",
      promise: 8,
      find: `cancel: "notify"`,
      replace: `cancel: "giveUp"`,
      title: "that are interrupted end with their connection"
    },
    {
      name: "headers-go-to-any-origin",
      promise: 6,
      test: "packages/mcp/test/http-client/headers.test.ts",
      find: "target?.origin === from.origin ? target : undefined",
      replace: "target ?? undefined",
      title: "go to no other origin"
    },
    {
      name: "a-broken-stream-leaves-its-calls-waiting",
      promise: 9,
      test: "packages/mcp/test/http-client/older.test.ts",
      find: "Effect.raceFirst(outgoing.over, Deferred.await(end))",
      replace: "outgoing.over",
      title: "is over when its stream breaks"
    },
    {
      name: "a-call-that-may-have-run-is-made-again",
      promise: 9,
      test: "packages/mcp/test/http-client/resuming.test.ts",
      find: "if (error.status === 404 && session !== undefined && line.session === session) onExpired()",
      replace: "if (error.status === 404) outgoing.hasExpired = true",
      title: "fails the call with Disconnected where the session is over"
    },
    {
      name: "calls-take-the-connections-of-answers",
      promise: 12,
      find: "places.withPermit(post(text, outgoing, take))",
      replace: "post(text, outgoing, take)",
      title: "leave connections for what the server asks within them"
    },
    {
      name: "an-answer-is-posted-once",
      promise: 7,
      test: "packages/mcp/test/http-client/answers.test.ts",
      find: "while: ResumableStream.mayPass",
      replace: "while: () => false",
      title: "is posted again where it is refused for now"
    },
    {
      name: "a-gap-ends-the-stream-of-a-session",
      promise: 18,
      test: "packages/mcp/test/http-client/sessions.test.ts",
      find: "error.status === 400 && place.id !== undefined",
      replace: "error.status === 410 && place.id !== undefined",
      title: "goes on where the server does not keep what is behind its last event any more"
    }
  ]
} satisfies Mutants
