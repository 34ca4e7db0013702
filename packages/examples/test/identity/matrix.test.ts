/** Who is who, in one process, on nodes over an engine in memory, and behind a gateway. */
import { assert, describe, it } from "@effect/vitest"
import * as MemoryNodes from "@parley/mesh/MemoryNodes"
import * as MeshNode from "@parley/mesh/MeshNode"
import { Effect, Logger } from "effect"
import { cells, eras, textOf } from "./matrix.ts"
import * as World from "./World.ts"

/** Has all that the methods of a service are given written down. */
const tapped = <A extends object>(service: A, seen: Array<unknown>): A =>
  new Proxy(service, {
    get: (target, name) => {
      // The engine and the journal are records of functions, and of values.
      const member: unknown = Reflect.get(target, name)
      return typeof member !== "function" ? member : (...args: ReadonlyArray<unknown>) => {
        seen.push(args)
        return Reflect.apply(member, target, args)
      }
    }
  })

const engine: Effect.Effect<World.Engine, never, never> = Effect.gen(function*() {
  const seen: Array<unknown> = []
  const engine = tapped(yield* MemoryNodes.makeEngine, seen)
  const journal = tapped(yield* MemoryNodes.makeJournal(), seen)
  return {
    node: (name) =>
      Effect.map(
        Effect.orDie(MeshNode.make(engine, { keys: "unsigned", name })),
        (mesh) => ({ mesh, journal })
      ),
    seen: () => JSON.stringify(seen)
  }
})

for (const isBehind of [false, true]) {
  const where = isBehind ? "behind a gateway" : "a server"
  cells(`${where} in one process`, { engine: undefined, isBehind })
  cells(`${where} on two nodes in memory`, { engine, isBehind })
}

describe("a client that has started the server, as over stdio", () => {
  for (const [era, revision] of Object.entries(eras)) {
    for (const isBehind of [false, true]) {
      it.live(`is nobody in particular, with all scopes: ${era}${isBehind ? ", through a gateway" : ""}`, () =>
        Effect.gen(function*() {
          const client = yield* World.started(isBehind, revision)
          assert.deepStrictEqual(JSON.parse(textOf(yield* client.callTool("who"))), World.nobody)
        }).pipe(Effect.provide(Logger.layer([]))))
    }
  }
})
