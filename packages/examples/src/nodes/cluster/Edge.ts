/**
 * The edge in front of the nodes: requests go to one after the other, whatever session they are of. A rotation is a
 * balancer of this program, and `Haproxy` runs HAProxy with a configuration.
 */
import type { Effect } from "effect"
import type { Passage } from "./Passages.ts"

/** A node as the edge gets to know it. */
export interface Member {
  readonly name: string
  readonly address: string
  /** Settles when its process has ended. */
  readonly ended: Promise<unknown>
}

/** A node was found dead. */
export interface Notice {
  readonly node: string
  readonly at: number
}

export interface Edge {
  readonly url: string
  readonly add: (member: Member) => Effect.Effect<void>
  /** Forgets a node, so that another one can have its place. */
  readonly remove: (node: string) => void
  /** Breaks all connections to a node, which lives on. */
  readonly sever: (node: string) => void
  readonly passages: ReadonlyArray<Passage>
  readonly notices: ReadonlyArray<Notice>
}

/** The path at which a node says whether it is ready. */
export const readyPath = "/ready"
