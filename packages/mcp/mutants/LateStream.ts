import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/internal/httpServer/LateStream.ts",
  test: "packages/mcp/test/http-server/modern.test.ts",
  mutants: [
    {
      name: "a-quiet-connection-is-left-to-die",
      promise: 18,
      test: "packages/mcp/test/complaints/droppedStreams.test.ts",
      find: `this.#pulse.add(this.#beat)`,
      replace: ``,
      title: "every stream says something each 15 seconds"
    },
    {
      name: "the-answer-goes-by-another-way-than-what-came-before",
      promise: 11,
      find: `this.#isStream ? last(reply) : whole(reply)`,
      replace: `whole(reply)`,
      title: "becomes a stream when something is to be sent first"
    }
  ]
} satisfies Mutants
