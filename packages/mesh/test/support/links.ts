/** Links between nodes and an engine, which can be cut. */
import type { MeshEngine } from "@parley/mesh/MeshEngine"
import { Overloaded } from "@parley/mesh/MeshError"
import { Effect } from "effect"

/** A link of one node. */
export interface Link extends MeshEngine {
  isCut: boolean
}

/** What is asked over a link that is cut fails, and what comes over it is lost. */
export const over = (engine: MeshEngine): Link => {
  const by = <A>(ask: Effect.Effect<A, Overloaded>): Effect.Effect<A, Overloaded> =>
    Effect.suspend(() => link.isCut ? Effect.fail(new Overloaded({ key: "engine", reason: "the link is cut" })) : ask)
  const link: Link = {
    isCut: false,
    beat: (...to) => by(engine.beat(...to)),
    leave: (node) => by(engine.leave(node)),
    claim: (...to) => by(engine.claim(...to)),
    keep: (...to) => by(engine.keep(...to)),
    release: (...to) => by(engine.release(...to)),
    owner: (key) => by(engine.owner(key)),
    join: (...to) => by(engine.join(...to)),
    part: (...to) => by(engine.part(...to)),
    members: (name) => by(engine.members(name)),
    publish: (...to) => by(engine.publish(...to)),
    subscribe: (node, onText) => engine.subscribe(node, (text) => link.isCut ? undefined : onText(text))
  }
  return link
}
