import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/peer/src/internal/Resumed.ts",
  test: "packages/peer/test/Resuming.test.ts",
  mutants: [
    {
      name: "runs-of-a-resumed-stream-pile-up",
      promise: 8,
      title: "releases each run before the next one",
      find: `Scope.close(scope, Exit.fail(error))`,
      replace: `Effect.void`
    },
    {
      name: "a-stream-ends-with-a-server-that-shuts-down",
      promise: 9,
      title: "goes on after a server that shut down in order",
      find: `isShutDown(error) ?`,
      replace: `error === announced ?`
    },
    {
      name: "a-stream-that-cannot-go-on-is-run-for-ever",
      promise: 9,
      title: "is not run again where its connection is still there",
      find: `now !== 0 && now === begun`,
      replace: `begun < 0`
    }
  ]
} satisfies Mutants
