import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/http/src/internal/WebBody.ts",
  test: "packages/http/test/shared/HttpFetcher.test.ts",
  mutants: [
    {
      name: "a-body-of-fetch-is-read-ahead-without-end",
      promise: 18,
      find: `this.#bytes.size < ahead * this.#scale`,
      replace: `this.#bytes.size < Infinity`
    },
    {
      name: "an-answer-that-waits-counts-as-what-was-read",
      promise: 18,
      find: `this.#room.held + unread * this.#scale`,
      replace: `this.#room.held`
    },
    {
      name: "what-was-read-ahead-comes-behind-the-next-piece",
      promise: 18,
      find: `if (bytes.size > 0) {`,
      replace: `if (bytes.size > 0 && this.#coming === undefined) {`
    },
    {
      name: "an-answer-that-gave-its-room-has-ended-in-order",
      promise: 22,
      find: `return this.#isOver ? Effect.fail(overrun()) : Effect.void`,
      replace: `return Effect.void`
    }
  ]
} satisfies Mutants
