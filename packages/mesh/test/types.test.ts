import { describe, expectTypeOf, it } from "@effect/vitest"
import type { MemoryEngine } from "@parley/mesh/MemoryNodes"
import type { MeshEngine } from "@parley/mesh/MeshEngine"
import * as MeshNode from "@parley/mesh/MeshNode"
import type { Redacted } from "effect"

describe("the types of a node", () => {
  it("demand `keys`, or a word for none, over an engine that others can reach", () => {
    const nodes = (engine: MeshEngine, key: Redacted.Redacted) => [
      MeshNode.make(engine, { keys: [key] }),
      MeshNode.make(engine, { keys: "unsigned" }),
      // @ts-expect-error there are no options
      MeshNode.make(engine),
      // @ts-expect-error there are no keys
      MeshNode.make(engine, { name: "ada" }),
      // @ts-expect-error there are no keys after all
      MeshNode.make(engine, { keys: undefined })
    ]
    const layers = (key: Redacted.Redacted) => [
      MeshNode.layer({ keys: [key] }),
      MeshNode.layer({ keys: "unsigned" }),
      // @ts-expect-error there are no options
      MeshNode.layer(),
      // @ts-expect-error there are no keys
      MeshNode.layer({ name: "ada" })
    ]
    expectTypeOf(nodes).toBeFunction()
    expectTypeOf(layers).toBeFunction()
  })

  it("demand none over the memory of their process", () => {
    const nodes = (engine: MemoryEngine) => [MeshNode.make(engine), MeshNode.make(engine, { name: "ada" })]
    expectTypeOf(nodes).toBeFunction()
    expectTypeOf(MeshNode.layerMemory).toBeCallableWith({ name: "ada" })
  })
})
