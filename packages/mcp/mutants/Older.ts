import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/internal/httpClient/Older.ts",
  test: "packages/mcp/test/http-client/older.test.ts",
  mutants: [
    {
      name: "an-endpoint-may-be-anywhere",
      promise: 6,
      find: `target?.origin === line.url.origin`,
      replace: `target !== null`,
      title: "posts to no other origin"
    },
    {
      name: "a-forgotten-session-leaves-its-calls-waiting",
      promise: 9,
      find: `yield* Effect.addFinalizer(() => Effect.sync(() => finish({ _tag: "Closed" })))`,
      replace: ``,
      title: "ends its calls when its session is forgotten"
    },
    {
      name: "a-broken-stream-leaves-its-calls-waiting",
      promise: 9,
      find: `Effect.raceFirst(outgoing.over, Deferred.await(end))`,
      replace: `outgoing.over`,
      title: "is over when its stream breaks"
    }
  ]
} satisfies Mutants
