import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/internal/server/listing.ts",
  test: "packages/mcp/test/server/lists.test.ts",
  mutants: [
    {
      name: "hidden-feature-is-served",
      promise: 14,
      find: `if (call.connection.server.visible === undefined) return serve(bound)`,
      replace: `if (bound !== undefined) return serve(bound)`,
      title: "is neither listed nor served"
    },
    {
      name: "hidden-feature-is-listed",
      promise: 14,
      find: `if (server.visible === undefined) return answer(`,
      replace: `if (server.visible !== null) return answer(`,
      title: "is neither listed nor served"
    },
    {
      name: "what-is-hidden-hides-more",
      promise: 14,
      find: `whereVisible(call, value, serve, next)`,
      replace: `whereVisible(call, value, serve, unknown)`,
      title: "hides nothing that a URI fits"
    }
  ]
} satisfies Mutants
