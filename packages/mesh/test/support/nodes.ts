/** Nodes of one memory engine. */
import * as MemoryNodes from "@parley/mesh/MemoryNodes"
import type * as Mesh from "@parley/mesh/Mesh"
import type { MeshEngine } from "@parley/mesh/MeshEngine"
import * as MeshNode from "@parley/mesh/MeshNode"
import { Effect, type Scope } from "effect"

export interface Nodes {
  readonly engine: MemoryNodes.MemoryEngine
  readonly nodes: readonly [Mesh.Mesh, Mesh.Mesh, Mesh.Mesh]
}

/** Three nodes. */
export const three = (options: MeshNode.LocalMeshNodeOptions = {}): Effect.Effect<Nodes, never, Scope.Scope> =>
  Effect.gen(function*() {
    const engine = yield* MemoryNodes.makeEngine
    const node = (name: string) => Effect.orDie(MeshNode.make(engine, { name, ...options }))
    return { engine, nodes: [yield* node("a"), yield* node("b"), yield* node("c")] as const }
  })

/** Two nodes of an engine as `around` wraps it. */
export const two = (
  around: (engine: MemoryNodes.MemoryEngine) => MeshEngine,
  options: MeshNode.LocalMeshNodeOptions = {}
) =>
  Effect.gen(function*() {
    const engine = yield* MemoryNodes.makeEngine
    const seen = around(engine)
    const unsigned: MeshNode.MeshNodeOptions = { ...options, keys: "unsigned" }
    return { engine, a: yield* MeshNode.make(seen, unsigned), b: yield* MeshNode.make(seen, unsigned) }
  })

/** Lets all go on that can. */
export const settled = Effect.forEach(Array.from({ length: 50 }), () => Effect.yieldNow, { discard: true })
