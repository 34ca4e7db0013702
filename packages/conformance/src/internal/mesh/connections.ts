/** Connections to what nodes share. */
import type { Overloaded } from "@parley/mesh/Mesh"
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

/** An engine all of whose operations go through a function. It is asked for anew at each. */
export const through = (
  engine: () => MeshEngine,
  by: <A, R>(ask: Effect.Effect<A, Overloaded, R>, what: keyof MeshEngine) => Effect.Effect<A, Overloaded, R>
): MeshEngine => ({
  beat: (...to) => by(Effect.suspend(() => engine().beat(...to)), "beat"),
  leave: (...to) => by(Effect.suspend(() => engine().leave(...to)), "leave"),
  claim: (...to) => by(Effect.suspend(() => engine().claim(...to)), "claim"),
  keep: (...to) => by(Effect.suspend(() => engine().keep(...to)), "keep"),
  release: (...to) => by(Effect.suspend(() => engine().release(...to)), "release"),
  owner: (...to) => by(Effect.suspend(() => engine().owner(...to)), "owner"),
  join: (...to) => by(Effect.suspend(() => engine().join(...to)), "join"),
  part: (...to) => by(Effect.suspend(() => engine().part(...to)), "part"),
  members: (...to) => by(Effect.suspend(() => engine().members(...to)), "members"),
  publish: (...to) => by(Effect.suspend(() => engine().publish(...to)), "publish"),
  subscribe: (...to) => by(Effect.suspend(() => engine().subscribe(...to)), "subscribe")
})
