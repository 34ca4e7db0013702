import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/middleware/src/Authentication.ts",
  test: "packages/middleware/test/Authentication.test.ts",
  mutants: [
    {
      name: "one-connection-speaks-for-all",
      promise: 16,
      title: "has nothing of another connection's",
      find: `    const { connection } = call\n`,
      replace: `    const connection = call.connection && globalThis\n`
    },
    {
      name: "who-waited-authenticates-again",
      promise: 16,
      title: "authenticates once for calls that come together",
      find: `      entry.service ?? Effect.map(`,
      replace: `      Effect.map(`
    },
    {
      name: "a-missing-principal-fills-the-log",
      promise: 5,
      title: "is refused without one, and the log names the option once",
      find: `isTold = true`,
      replace: ``
    },
    {
      name: "a-post-logs-in",
      promise: 5,
      test: "packages/middleware/test/Login.test.ts",
      title: "is refused where a text is answered by itself, as over HTTP",
      find: `? Effect.fail(ErrorResponse.make(-32000, "Logging in needs a connection"))`,
      replace: `? Effect.void`
    },
    {
      name: "a-logout-keeps-the-principal",
      promise: 5,
      test: "packages/middleware/test/Login.test.ts",
      title: "replaces the one before, with its name, and a logout takes it back",
      find: `Effect.Effect<void, ErrorResponse.ErrorResponse> = hold(undefined)`,
      replace: `Effect.Effect<void, ErrorResponse.ErrorResponse> = Effect.void`
    }
  ]
} satisfies Mutants
