/**
 * The resource that says which servers stand behind a gateway, and which of their features are not offered and why. Each
 * caller sees the features that servers show to that caller.
 */
import type { McpContext } from "@parley/mcp/McpContext"
import * as McpResource from "@parley/mcp/McpResource"
import type { Feature } from "@parley/mcp/server/Feature"
import { Uri } from "@parley/mcp/shared"
import * as Effect from "effect/Effect"
import type { McpUpstream } from "../../McpUpstream.ts"
import type { ServerStatus, Unoffered } from "../../Policy.ts"

/** @internal */
export const uri = "gateway://status"

/** @internal */
export const resource = (
  servers: () => ReadonlyMap<string, McpUpstream>,
  scopes: ReadonlyArray<string> | undefined
): McpResource.McpResource =>
  McpResource.make(
    uri,
    {
      name: "gateway status",
      description: "The servers behind this gateway, and what of them is not offered, with the reasons.",
      mimeType: "application/json",
      scopes
    },
    (call) => Effect.map(of(servers(), call), (status) => JSON.stringify({ servers: status }, undefined, 2))
  )

const of = (
  servers: ReadonlyMap<string, McpUpstream>,
  call: McpContext
): Effect.Effect<ReadonlyArray<ServerStatus>> =>
  Effect.map(
    Effect.forEach(
      servers.values(),
      (upstream) =>
        Effect.all({
          upstream: Effect.succeed(upstream),
          refused: upstream.refusedFor(call),
          features: upstream.featuresFor(call)
        }),
      { concurrency: "unbounded" }
    ),
    (all) => {
      // The first server that lists a URI has it.
      const listers = new Map<string, string>()
      return all.map(({ features, refused, upstream }) => {
        const taken = features.flatMap((feature) => {
          const key = feature.listed === false ? undefined : keyOf(feature)
          if (key === undefined) return []
          const other = listers.get(key)
          if (other === undefined) listers.set(key, upstream.name)
          return other === undefined || other === upstream.name ? [] : [takenBy(other, feature)]
        })
        return {
          name: upstream.name,
          label: upstream.label,
          credentials: upstream.credentials,
          isReached: upstream.isAway === undefined ? undefined : !upstream.isAway(),
          calls: upstream.calls(),
          unoffered: [
            ...refused.map(({ kind, name, reason: why }): Unoffered => ({ kind, name, why, reason: reasons[why] })),
            ...taken
          ]
        }
      })
    }
  )

const keyOf = (feature: Feature): string | undefined =>
  feature._tag === "McpResource" ? Uri.normalised(feature.info.uri) : undefined

const takenBy = (other: string, feature: Feature): Unoffered => ({
  kind: "resource",
  name: feature._tag === "McpResource" ? feature.info.uri : "",
  why: "taken",
  reason: `the server ${other} lists this URI before`
})

const reasons = {
  rules: "`tools` of the configuration leaves it out",
  unapproved: "nobody has approved it",
  changed: "it has changed since it was approved"
}
