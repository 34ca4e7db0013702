import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/conform/src/internal/diff/compare",
  test: "packages/conform/test/diff/ContractDiff.test.ts",
  mutants: [
    {
      name: "what-clients-get-is-compared-as-what-they-send",
      promise: 1,
      find: `const answer = isSent
      ? this.#comparison.counterexample(before, after)
      : this.#comparison.counterexample(after, before)
    const parts`,
      replace: `const answer = this.#comparison.counterexample(before, after)
    const parts`,
      title: "finds what results may be"
    },
    {
      name: "a-request-of-a-server-is-new-and-breaks-nobody",
      promise: 1,
      find: `return place.direction === "gets" && operation.kind === "method"`,
      replace: `return place.direction === "gets" && operation.kind === "tool"`,
      title: "tells what servers may ask of clients"
    },
    {
      name: "every-recorded-call-meets-every-change",
      promise: 1,
      find: `return nodesOf(after, now).every((node) => fits(node, value) === false)`,
      replace: `return nodesOf(after, now).every((node) => fits(node, value) !== undefined)`,
      title: "tells which recorded calls a change meets"
    },
    {
      name: "a-shared-part-is-reported-for-each-operation",
      promise: 1,
      find: `const key = schemas?.before.startsWith("/schemas/") === true`,
      replace: `const key = schemas?.before.startsWith("/shared/") === true`,
      title: "reports a part that operations share once"
    }
  ]
} satisfies Mutants
