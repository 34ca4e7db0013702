import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/internal/client/Negotiation.ts",
  test: "packages/mcp/test/client/Negotiation.test.ts",
  mutants: [
    {
      name: "only-one-code-means-legacy",
      promise: 14,
      find: `return legacy
      const offered = failures.supportedIn(error)`,
      replace:
        `return error._tag === "RemoteError" && error.code === -32601 ? legacy : Effect.fail(failures.fromLine("server/discover", error))
      const offered = failures.supportedIn(error)`,
      title: "a server that answers the probe with error "
    },
    {
      name: "a-refused-revision-is-not-asked-again",
      promise: 14,
      find: `if (common !== undefined && mayRetry) return`,
      replace: `if (common === undefined && mayRetry) return`,
      title: "a modern server that knows other revisions"
    },
    {
      name: "initialized-is-not-said",
      promise: 9,
      find: `Effect.mapError(
          link.notify("notifications/initialized"),
          (error) => failures.fromLine("notifications/initialized", error)
        )`,
      replace: `Effect.void`,
      title: "a legacy server hears initialize"
    },
    {
      name: "a-pinned-revision-may-be-another",
      promise: 14,
      find: `failures.newest([protocolVersion], "legacy", pinned === undefined ? undefined : [pinned])`,
      replace: `failures.newest([protocolVersion], "legacy")`,
      title: "a pinned legacy revision"
    },
    {
      name: "a-pinned-client-probes",
      promise: 21,
      find: `if (revision === "auto") return Effect.scoped(find(options))`,
      replace: `if (revision !== "2025-03-26") return Effect.scoped(find(options))`,
      title: "a pinned modern revision"
    },
    {
      name: "a-slow-server-is-not-heard-again",
      promise: 10,
      find: `return yield* Effect.raceFirst(found, shaken)`,
      replace: `return yield* initialize(options)`,
      title: "a modern server that was slow to start"
    }
  ]
} satisfies Mutants
