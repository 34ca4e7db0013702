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
    }
  ]
} satisfies Mutants
