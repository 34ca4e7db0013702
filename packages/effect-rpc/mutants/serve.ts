import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/effect-rpc/src/internal/serve.ts",
  test: "packages/effect-rpc/test/Serving.test.ts",
  mutants: [
    {
      name: "rpc-uninterruptible-is-forgotten",
      promise: 8,
      find: `Effect.uninterruptible(use(given.value))`,
      replace: `use(given.value)`
    },
    {
      name: "rpc-middleware-does-not-run",
      promise: 15,
      find: `around(middleware, effect, about)`,
      replace: `middleware && effect`,
      title: "runs around a handler"
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
