import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/conform/src/internal",
  test: "packages/conform/test/mock/mock.test.ts",
  mutants: [
    {
      name: "a-mock-does-not-wait-for-answers",
      promise: 11,
      find: "if (asking > request.index) own.add(answer)",
      replace: "",
      title: "a response that waits for an answer of the client"
    },
    {
      name: "a-mock-has-an-order-of-its-own",
      promise: 13,
      find: `if (index > horizon && (!isOver || step._tag === "ServerGone")) continue`,
      replace: "",
      title: "keeps the order of the recording"
    },
    {
      name: "a-mock-keeps-near-misses-to-itself",
      promise: 14,
      find: `if (kind === "same") return`,
      replace: `if (kind !== "none") return`,
      title: "a request with other params"
    },
    {
      name: "a-mock-answers-with-recorded-ids",
      promise: 3,
      find: "responses.has(key) ? this.#bindings.requestOf(key)",
      replace: "responses.has(key) ? key",
      title: "answers by method and params"
    },
    {
      name: "each-fault-at-each-answer",
      promise: 14,
      find: "if (one.count % (one.fault.every ?? 1) === 0)",
      replace: "if (one.count > 0)",
      title: "faults and delays come where they are asked for"
    },
    {
      name: "a-mock-takes-any-params",
      promise: 14,
      find: `if (problem !== undefined) return { code: ErrorCode.InvalidParams`,
      replace: `if (problem === "") return { code: ErrorCode.InvalidParams`,
      test: "packages/conform/test/mock/described.test.ts",
      title: "refuses params that do not fit"
    }
  ]
} satisfies Mutants
