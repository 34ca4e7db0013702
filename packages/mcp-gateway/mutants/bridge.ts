import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp-gateway/src",
  test: "packages/mcp-gateway/test/lifetime/bridge.test.ts",
  mutants: [
    {
      name: "the-only-caller-is-told-of-lists-that-are-the-same",
      promise: 7,
      find: "return lists.filter((list) => old[list] !== now[list])",
      replace: "return lists.filter((list) => old[list] !== undefined)",
      title: "keeps its lists while the server is away"
    },
    {
      name: "the-only-caller-has-a-connection-for-itself-beside-the-first",
      promise: 7,
      find: "this.#always = Plan.forSole(Reach.of(capabilities))",
      replace: "this.#always = Plan.base",
      title: "serves all of it by one connection"
    },
    {
      name: "a-call-fails-because-its-gone-server-was-closed",
      promise: 9,
      test: "packages/mcp-gateway/test/lifetime/lines.test.ts",
      find: "failures.closedFor(error, this.#cause)",
      replace: "error",
      title: "fails for the reason that is known"
    }
  ]
} satisfies Mutants
