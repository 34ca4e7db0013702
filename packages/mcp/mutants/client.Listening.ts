import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/internal/client/Listening.ts",
  test: "packages/mcp/test/client/Changes.test.ts",
  mutants: [
    {
      name: "streams-hear-what-is-for-others",
      promise: 11,
      find: `if (!isOwn(params)) return`,
      replace: ``,
      title: "each stream listens by itself"
    },
    {
      name: "a-server-is-asked-for-ever",
      promise: 17,
      find: `if (failures > mostFailures) return`,
      replace: `if (failures > 1_000_000) return`,
      title: "a server that ends every stream"
    },
    {
      name: "what-is-not-agreed-to-is-waited-for",
      promise: 9,
      find: `!interest.isGiven(agreed)`,
      replace: `agreed === null`,
      title: "what the server does not agree to"
    },
    {
      name: "a-stream-that-ended-says-nothing",
      promise: 11,
      find: `hasBegun ? new Resumed({ reason: "Ended" }) : new Subscribed()`,
      replace: `new Subscribed()`,
      title: "a stream that the server ends"
    },
    {
      name: "a-stream-waits-for-ever-for-its-acknowledgement",
      promise: 9,
      find: `Effect.raceFirst(open, unheard)`,
      replace: `open`,
      title: "a server that never acknowledges"
    }
  ]
} satisfies Mutants
