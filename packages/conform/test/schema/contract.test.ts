/** A server of our own: what a contract says of itself is what it takes and gives. */
import { assert, describe, it } from "@effect/vitest"
import { Conform } from "@parley/conform"
import { Contract, Method } from "@parley/contract"
import { OpenRpc } from "@parley/openrpc"
import { Peer, Router } from "@parley/peer"
import { MemoryTransport } from "@parley/transport"
import { Effect, Layer, Schema } from "effect"

const Place = Schema.Struct({
  name: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(40)),
  tags: Schema.Array(Schema.Literals(["sea", "land"])).check(Schema.isMaxLength(3)),
  parent: Schema.optionalKey(Schema.NullOr(Schema.Int))
})

const Shape = Schema.Union([
  Schema.TaggedStruct("Circle", { radius: Schema.Finite.check(Schema.isGreaterThan(0)) }),
  Schema.TaggedStruct("Square", { side: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 })) })
])

const Atlas = Contract.make("Atlas", {
  fields: Method.make({
    params: { level: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5 })), place: Schema.optionalKey(Place) },
    result: Place
  }),
  tuple: Method.make({
    params: [Schema.String.check(Schema.isPattern(/^[a-z]{2}-\d+$/u)), Schema.Boolean],
    result: Schema.Boolean
  }),
  whole: Method.make({ params: Shape, result: Shape }),
  map: Method.make({ params: Schema.Record(Schema.String, Schema.Int), result: Schema.Int }),
  nothing: Method.make({ result: Schema.Null })
})

const server = Router.layer(
  Layer.merge(
    OpenRpc.layerDiscover(Atlas),
    Atlas.toLayer({
      fields: ({ place }) => Effect.succeed(place ?? { name: "Here", tags: [] }),
      tuple: ([, flag]) => Effect.succeed(flag),
      whole: (shape) => Effect.succeed(shape),
      map: (map) => Effect.succeed(Object.keys(map).length),
      nothing: () => Effect.succeed(null)
    })
  )
)

describe("a contract that is served", () => {
  it.live("takes and gives what its document says", () =>
    Effect.gen(function*() {
      const router = yield* Router.Router
      const connect = Effect.gen(function*() {
        const [near, far] = yield* MemoryTransport.makePair()
        yield* Peer.make(far, { router })
        return near
      })
      const report = yield* Conform.run(
        { _tag: "Duplex", name: "atlas", connect, isProcess: false },
        { only: ["schema"], write: true, protocol: "jsonrpc" }
      )
      const wrong = report.results.filter(({ verdict }) => verdict !== "pass" && verdict !== "notApplicable")
      assert.deepStrictEqual(wrong, [])
      assert.include(report.protocol, "described by the OpenRPC of Atlas")
    }).pipe(Effect.scoped, Effect.provide(server)))
})
