import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp-gateway/src/internal/upstream",
  test: "packages/mcp-gateway/test/lifetime/lines.test.ts",
  mutants: [
    {
      name: "a-list-ends-with-its-line",
      promise: 7,
      find: "Cause.hasInterruptsOnly(cause) ? lost(options.client) : Effect.failCause(cause)",
      replace: "Effect.failCause(cause)",
      title: "is the one known last when its line is lost"
    },
    {
      name: "a-list-is-older-than-a-change-before-it-was-asked-for",
      promise: 11,
      find: "read.began >= asked",
      replace: "read.began <= asked",
      title: "reaches who asks after it"
    },
    {
      name: "a-line-that-is-closed-is-not-noticed",
      promise: 7,
      find: "Effect.andThen(Deferred.await(line.closed), Effect.sync(() => this.#suspected.openUnsafe()))",
      replace: "Effect.void",
      title: "is known to be closed at once"
    }
  ]
} satisfies Mutants
