import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/contract/src/internal/serve.ts",
  test: "packages/contract/test/Errors.test.ts",
  mutants: [
    {
      name: "errors-without-a-contract-are-told",
      promise: 15,
      find: `encode(error) ?? Responses.internalError(error)`,
      replace: `encode(error) ?? Responses.make(-32603, String(error))`
    },
    {
      name: "what-calls-acquire-stays",
      promise: 8,
      test: "packages/contract/test/Calls.test.ts",
      title: "is released when its call is over",
      find: `Effect.matchCauseEffect(Effect.scoped(effect), reply)`,
      replace: `Effect.matchCauseEffect(effect, reply)`
    }
  ]
} satisfies Mutants
