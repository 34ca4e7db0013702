import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/transport/src/Listener.ts",
  test: "packages/transport/test/Listener.test.ts",
  mutants: [
    {
      name: "a-connection-is-taken-for-the-client-in-whose-handler-its-listener-runs",
      promise: 24,
      test: "packages/middleware/test/regression/logins.test.ts",
      title: "is not the client of the handler that calls it",
      find: `Effect.provideService(Handshake.Current, handshake),`,
      replace: ``
    },
    {
      name: "a-wrapping-holds-what-it-acquires-until-its-layer-ends",
      promise: 24,
      title: "releases what it acquires when its connection ends",
      find: `Context.omit( Scope.Scope, Budget.Budget,`,
      replace: `Context.omit(Budget.Budget,`
    },
    {
      name: "a-wrapping-counts-on-the-budget-of-its-layer",
      promise: 17,
      title: "releases what it acquires when its connection ends",
      find: `Context.omit( Scope.Scope, Budget.Budget,`,
      replace: `Context.omit(Scope.Scope,`
    }
  ]
} satisfies Mutants
