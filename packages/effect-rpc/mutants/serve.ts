import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/effect-rpc/src/internal/serve.ts",
  test: "packages/effect-rpc/test/Serving.test.ts",
  mutants: [
    {
      name: "rpc-stream-keeps-its-items",
      promise: 11,
      test: "packages/effect-rpc/test/Wire.test.ts",
      find: `Queue.offerAll(queue, values)`,
      replace: `Effect.succeed(values)`
    },
    { name: "rpc-handler-has-the-scope-of-its-layer", promise: 8, find: `Effect.scoped(within)`, replace: `within` },
    {
      name: "rpc-uninterruptible-is-forgotten",
      promise: 8,
      find: `Effect.uninterruptible(use(given.value))`,
      replace: `use(given.value)`
    },
    { name: "rpc-stream-cannot-be-left", promise: 8, find: ` && !streams`, replace: `` },
    {
      name: "rpc-middleware-does-not-run",
      promise: 15,
      find: `around(middleware, effect, about)`,
      replace: `middleware && effect`,
      title: "runs around a handler"
    },
    {
      name: "rpc-refusal-opens-a-stream",
      promise: 15,
      find: `yield* Deferred.await(opened)`,
      replace: ``,
      title: "refuses a subscription in its response"
    },
    {
      name: "rpc-client-is-another-at-each-call",
      promise: 3,
      find: `if (connection !== undefined) known.set(connection, made)`,
      replace: ``,
      title: "is told which connection calls"
    },
    {
      name: "rpc-request-id-loses-digits",
      promise: 3,
      find: `id : RequestIds.toText(id)`,
      replace: `id : String(Number(RequestIds.toText(id)))`,
      title: "is told which connection calls"
    }
  ]
} satisfies Mutants
