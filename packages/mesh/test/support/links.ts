/** Links between nodes and an engine, which can be cut. */
import { Overloaded } from "@parley/mesh/Mesh"
import type { MeshEngine } from "@parley/mesh/MeshEngine"
import { Effect } from "effect"
import { through } from "../../../conformance/src/internal/mesh/connections.ts"

/** A link of one node. */
export interface Link extends MeshEngine {
  isCut: boolean
}

/** A link to an engine. While it is cut, all operations fail, and texts to the node are lost. */
export const over = (engine: MeshEngine): Link => {
  const by = <A, R>(ask: Effect.Effect<A, Overloaded, R>): Effect.Effect<A, Overloaded, R> =>
    Effect.suspend(() => link.isCut ? Effect.fail(new Overloaded({ key: "engine", reason: "the link is cut" })) : ask)
  const link: Link = {
    ...through(() => engine, by),
    isCut: false,
    subscribe: (node, onText) => engine.subscribe(node, (text) => link.isCut ? undefined : onText(text))
  }
  return link
}
