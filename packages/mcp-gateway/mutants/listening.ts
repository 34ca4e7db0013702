import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp-gateway/src/internal/upstream/calls/Listening.ts",
  test: "packages/mcp-gateway/test/lifetime/listening.test.ts",
  mutants: [
    {
      name: "a-call-overtakes-the-subscription-of-its-party",
      promise: 11,
      find: "return opening === undefined ? Effect.void",
      replace: "return opening !== undefined ? Effect.void",
      title: "reaches a server when that listens"
    },
    {
      name: "a-subscription-holds-the-calls-of-others",
      promise: 9,
      find: "  behind({ party }: McpContext): Effect.Effect<void> {",
      replace:
        "  behind({ party: own }: McpContext): Effect.Effect<void> {\n    const [party = own] = this.#openings.keys()",
      title: "waits a second"
    },
    {
      name: "a-server-that-answers-no-subscription-holds-calls",
      promise: 7,
      find: "party === undefined ? 50 : 1_000",
      replace: "60_000",
      title: "waits a second"
    }
  ]
} satisfies Mutants
