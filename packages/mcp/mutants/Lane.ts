import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/internal/httpServer/Lane.ts",
  test: "packages/mcp/test/http-server/streams.test.ts",
  mutants: [
    {
      name: "a-stream-has-two-readers",
      promise: 11,
      find: `if (this.#reader !== undefined) this.#leave(this.#reader)`,
      replace: ``,
      title: "has one reader, and a newer one takes it"
    },
    {
      name: "nobody-has-an-id-to-come-back-with",
      promise: 9,
      find: `return priming === undefined`,
      replace: `return priming !== undefined`,
      title: "begins with an event that has an id and no data"
    },
    {
      name: "what-was-missed-is-lost",
      promise: 11,
      test: "packages/mcp/test/http-server/resuming.test.ts",
      find: `opening + events.map(EventStream.encodeFields).join("")`,
      replace: `opening`,
      title: "bring every text exactly once, in order"
    },
    {
      name: "what-was-replayed-comes-again",
      promise: 11,
      test: "packages/mcp/test/http-server/resuming.test.ts",
      find: `reader.skipTo(place)`,
      replace: ``,
      title: "bring every text exactly once, in order"
    },
    {
      name: "who-cannot-come-back-is-cut-off",
      promise: 9,
      find: `if (this.#host.priming === undefined || this.#reader === undefined) return`,
      replace: `if (this.#reader === undefined) return`,
      title: "is not closed in revisions whose clients would not come back"
    },
    {
      name: "a-gap-is-passed-over",
      promise: 17,
      find: `if (Option.isNone(missed) && after !== undefined)`,
      replace: `if (Option.isNone(missed) && after === undefined)`,
      title: "cannot be resumed from what is not kept"
    }
  ]
} satisfies Mutants
