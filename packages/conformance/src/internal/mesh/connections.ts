/** Connections to what nodes share. */
import type { MeshEngine } from "@parley/mesh/MeshEngine"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { long } from "./time.ts"

/**
 * Connects one node more to an engine, until the Scope closes.
 *
 * @category models
 * @since 0.1.0
 */
export type Connect = Effect.Effect<MeshEngine, unknown, Scope.Scope>

export const connected = (connect: Connect, count: number) =>
  Effect.forEach(Array.from({ length: count }), () => connect)

/** Connections of the nodes `a` and `b`, which live. */
export const living = (connect: Connect) =>
  Effect.gen(function*() {
    const [one, other] = [yield* connect, yield* connect]
    yield* one.beat("a", long)
    yield* other.beat("b", long)
    return [one, other] as const
  })

/** Connects a node that hears: the array grows with what it is told. */
export const hearing = (connect: Connect, node: string) =>
  Effect.gen(function*() {
    const engine = yield* connect
    const heard: Array<string> = []
    yield* engine.subscribe(node, (text) => void heard.push(text))
    return { engine, heard }
  })
