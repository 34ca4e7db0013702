import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/nats/src/internal/rpc/NatsExchange.ts",
  test: "packages/nats/test/wire/badFrames.test.ts",
  mutants: [
    {
      name: "a-reply-that-is-no-text-is-no-response",
      promise: 7,
      find: `text === undefined ? bad("the answer is no UTF-8", data) : Exit.succeed(text)`,
      replace: `Exit.succeed(text ?? "")`
    },
    {
      name: "a-reply-is-read-whatever-its-size",
      promise: 7,
      find: `if (data.length > frame) {`,
      replace: `if (data.length > 1_048_576 + frame) {`
    }
  ]
} satisfies Mutants
