/**
 * The engine and the journal in memory, for one process and for tests: what `RedisNodes` and `NatsNodes` are over an
 * engine of their own.
 *
 * ```ts run
 * import { MemoryNodes, MeshNode } from "@parley/mesh"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const engine = yield* MemoryNodes.makeEngine
 *   const ada = yield* MeshNode.make(engine, { name: "ada" })
 *   const bob = yield* MeshNode.make(engine, { name: "bob" })
 *   yield* ada.claim("session/1")
 *   console.log((yield* bob.owner("session/1")) === ada.node) // => true
 * })
 *
 * await Effect.runPromise(Effect.scoped(program))
 * ```
 *
 * @since 0.1.0
 */
export { makeEngine, type MemoryEngine } from "./internal/memory/MemoryEngine.ts"
export {
  layerJournal,
  makeJournal,
  makeJournalWith,
  type MemoryJournalOptions
} from "./internal/memory/MemoryJournal.ts"
