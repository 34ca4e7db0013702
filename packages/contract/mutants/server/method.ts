import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/contract/src/internal/server/method.ts",
  test: "packages/contract/test/codec/Errors.test.ts",
  mutants: [
    {
      name: "errors-without-a-contract-are-told",
      promise: 15,
      find: `Responses.internalError(error))`,
      replace: `Responses.make(-32603, String(error)))`
    },
    {
      name: "nobody-is-called-back",
      promise: 14,
      test: "packages/contract/test/CallsBack.test.ts",
      title: "is refused where a text is answered by itself, and others are served",
      find: `call.connection === undefined`,
      replace: `call === undefined`
    }
  ]
} satisfies Mutants
