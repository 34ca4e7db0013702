/**
 * The names of the features of a server, here and there.
 */
import type { Feature } from "@parley/mcp/server/Feature"

/** @internal */
export interface Names {
  /** Whether a tool or prompt may have a name here. */
  readonly owns: (kind: "tool" | "prompt", name: string) => boolean
  /** The name that a tool or prompt has there, if it is one of this server. */
  readonly ownOf: (kind: "tool" | "prompt", name: string) => string | undefined
  /** A feature under its name here. */
  readonly select: (feature: Feature) => Feature
}

/** Names with a prefix, but for the tools that are renamed. @internal */
export const of = (prefix: string, rename: { readonly [tool: string]: string } = {}): Names => {
  const renamed = new Map(Object.entries(rename))
  const owned = new Map(Object.entries(rename).map(([own, name]) => [name, own]))
  return {
    owns: (kind, name) => name.startsWith(prefix) || (kind === "tool" && owned.has(name)),
    ownOf: (kind, name) => {
      const plain = name.startsWith(prefix) ? name.slice(prefix.length) : undefined
      if (kind === "prompt") return plain
      const own = owned.get(name) ?? plain
      return own !== undefined && (renamed.get(own) ?? prefix + own) === name ? own : undefined
    },
    select: (feature) => {
      switch (feature._tag) {
        case "McpTool": {
          const { name } = feature.info
          return { ...feature, info: { ...feature.info, name: renamed.get(name) ?? prefix + name } }
        }
        case "McpPrompt":
          return { ...feature, info: { ...feature.info, name: prefix + feature.info.name } }
        default:
          return feature
      }
    }
  }
}
