/** A framing that conflicts with its dialect does not compile. Where the types do not tell, layers.test.ts has what happens. */
import { assert, expectTypeOf, it } from "@effect/vitest"
import { NodeChildProcess, NodeStdio, NodeTcp, NodeUnix } from "@parley/node"
import { Dialect, Framing } from "@parley/protocol"
import { Effect, Layer } from "effect"

const framing = Framing.line
const dialect = Dialect.lsp
const wide: Dialect.Dialect = dialect
const widely: Framing.Framing = framing

it("a framing that conflicts with the dialect does not compile", () => {
  const wrong = [
    // @ts-expect-error the dialect frames texts by contentLength, and the transport by line
    NodeTcp.layerPeer({ port: 1, framing, dialect }),
    // @ts-expect-error likewise
    NodeTcp.layerServer({ port: 1, framing, dialect }),
    // @ts-expect-error likewise
    NodeUnix.layerPeer({ path: "/a", framing, dialect }),
    // @ts-expect-error likewise
    NodeUnix.layerServer({ path: "/a", framing, dialect }),
    // @ts-expect-error likewise
    NodeChildProcess.layerPeer({ command: "a", framing, dialect }),
    // @ts-expect-error likewise
    NodeStdio.layerPeer({ framing, dialect }),
    // @ts-expect-error likewise
    NodeStdio.layerServer({ framing, dialect }),
    // @ts-expect-error likewise, also where it is named
    NodeTcp.layerPeer({ port: 1, framing: Framing.byName("line"), dialect: Dialect.make({ ...dialect, name: "a" }) }),
    // @ts-expect-error the dialect frames texts by concatenated
    NodeTcp.layerPeer({ port: 1, framing: Framing.contentLength, dialect: Dialect.ethereum })
  ]
  // @ts-expect-error likewise
  assert.isDefined(NodeStdio.runServer({ framing, dialect }))
  assert.isTrue(wrong.every(Layer.isLayer))
})

it("a dialect goes with its framing, and one that names none with every framing", () => {
  const right = [
    NodeTcp.layerPeer({ port: 1, framing: Framing.contentLength, dialect }),
    NodeTcp.layerPeer({ port: 1, framing, dialect: { ...dialect, framing: "line" } }),
    NodeTcp.layerPeer({ port: 1, framing: undefined, dialect }),
    NodeTcp.layerPeer({ port: 1, framing }),
    NodeTcp.layerServer({ port: 1, dialect, onConnection: () => Effect.void }),
    NodeTcp.layerServer({ port: 1, framing: Framing.contentLength, dialect: Dialect.make({ name: "a" }) }),
    NodeStdio.layerPeer({ framing: Framing.concatenated, dialect: Dialect.jsonRpc1 }),
    NodeStdio.layerPeer(),
    // These fail when they are opened.
    NodeTcp.layerPeer({ port: 1, framing, dialect: wide }),
    NodeTcp.layerPeer({ port: 1, framing: widely, dialect }),
    NodeTcp.layerPeer({ port: 1, framing: widely, dialect: wide })
  ]
  assert.isTrue(right.every(Layer.isLayer))
  expectTypeOf(Dialect.make({ name: "a" })).toEqualTypeOf<Dialect.Dialect<"line">>()
  expectTypeOf(Dialect.make({ name: "a", framing: "none" })).toEqualTypeOf<Dialect.Dialect<"none">>()
  expectTypeOf(Framing.byName("line")).toEqualTypeOf<Framing.Framing<"line">>()
})
