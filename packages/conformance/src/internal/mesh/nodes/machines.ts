/** Nodes whose machines can be stopped in the two ways in which machines stop, over any engine. */
import { type Mesh, Overloaded } from "@parley/mesh/Mesh"
import type { MeshEngine } from "@parley/mesh/MeshEngine"
import * as MeshNode from "@parley/mesh/MeshNode"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { type Connect, through } from "../connections.ts"
import { long } from "../time.ts"

/** A node, and what happens to its machine. */
export interface Machine {
  readonly mesh: Mesh
  /** It dies: it sends and receives nothing any more. */
  readonly kill: Effect.Effect<void>
  /** It stands still, until the effect is run that this gives. */
  readonly pause: Effect.Effect<Effect.Effect<void>>
}

/** A machine whose node lives for as long as its law, unless `options` has it die sooner: a busy machine may be late. */
export const machine = (connect: Connect, options: MeshNode.LocalMeshNodeOptions = {}) =>
  Effect.gen(function*() {
    const engine = yield* connect
    const hearing = yield* Scope.make()
    yield* Effect.addFinalizer(() => Scope.close(hearing, Exit.void))
    let isDead = false
    let waiting: Array<() => void> | undefined

    /** Runs what the node asks for, unless it is dead, and not while it stands still. */
    const by = <A, R>(ask: Effect.Effect<A, Overloaded, R>): Effect.Effect<A, Overloaded, R> =>
      Effect.suspend(() => {
        if (isDead) return Effect.fail(new Overloaded({ key: "engine", reason: "the node was killed" }))
        if (waiting === undefined) return ask
        const paused = waiting
        return Effect.andThen(
          Effect.callback<void>((resume) => void paused.push(() => resume(Effect.void))),
          by(ask)
        )
      })

    const faulty: MeshEngine = {
      ...through(() => engine, by),
      subscribe: (node, onText) =>
        Scope.provide(
          engine.subscribe(node, (text) => {
            if (waiting === undefined) onText(text)
            else waiting.push(() => onText(text))
          }),
          hearing
        )
    }

    const mesh = yield* MeshNode.make(faulty, { lease: long, ...options, keys: "unsigned" })
    return {
      mesh,
      kill: Effect.suspend(() => {
        isDead = true
        return Scope.close(hearing, Exit.void)
      }),
      pause: Effect.sync(() => {
        const paused = waiting = new Array<() => void>()
        return Effect.sync(() => {
          waiting = undefined
          for (const go of paused) go()
        })
      })
    } satisfies Machine
  })

/** Two machines, `a` and `b`. */
export const two = (connect: Connect, options: MeshNode.LocalMeshNodeOptions = {}) =>
  Effect.gen(function*() {
    return [
      yield* machine(connect, { name: "a", ...options }),
      yield* machine(connect, { name: "b", ...options })
    ] as const
  })
