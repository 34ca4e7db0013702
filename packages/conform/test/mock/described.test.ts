import { assert, describe, it } from "@effect/vitest"
import { Mock } from "@parley/conform"
import { Contract, Method } from "@parley/contract"
import type { OpenRpc } from "@parley/openrpc"
import { Peer } from "@parley/peer"
import { Effect, Layer, Schema } from "effect"

const document: OpenRpc.Document = {
  openrpc: "1.3.2",
  info: { title: "Zoo", version: "1.0.0" },
  methods: [
    {
      name: "feed",
      params: [{ name: "animal", required: true, schema: { $ref: "#/components/schemas/Animal" } }],
      result: { name: "result", schema: { type: "string" } },
      examples: ["cat", "dog"].map((animal) => ({
        name: animal,
        params: [{ name: "animal", value: { name: animal } }],
        result: { name: "result", value: `${animal} is fed` }
      }))
    },
    {
      name: "count",
      params: [],
      result: { name: "result", schema: { type: "integer", minimum: 3, multipleOf: 7 } }
    }
  ],
  components: { schemas: { Animal: { type: "object", properties: { name: { type: "string" } }, required: ["name"] } } }
}

const withPeer = <A, E>(
  source: Mock.Source,
  options: Mock.MockOptions,
  use: (peer: Peer.Peer) => Effect.Effect<A, E, Mock.Mock>
) =>
  Effect.flatMap(Peer.Peer, use).pipe(
    Effect.provide(Peer.layer().pipe(Layer.provideMerge(Mock.layer(source, options))))
  )

describe("Mock of a document", () => {
  it.live("answers with the example of the params, and with the first one where there is none", () =>
    withPeer(document, {}, (peer) =>
      Effect.gen(function*() {
        assert.strictEqual(yield* peer.request("feed", [{ name: "dog" }]), "dog is fed")
        assert.strictEqual(yield* peer.request("feed", { animal: { name: "dog" } }), "dog is fed")
        assert.strictEqual(yield* peer.request("feed", [{ name: "cow" }]), "cat is fed")
        assert.deepStrictEqual(yield* Mock.unmatched, [])
      })))

  it.live("answers with values that fit where there are no examples, the same for the same seed", () =>
    Effect.gen(function*() {
      const count = (seed: number) => withPeer(document, { seed }, (peer) => peer.request("count", []))
      const counts = yield* Effect.forEach([1, 1, 2, 3], count)
      for (const one of counts) assert.isTrue(typeof one === "number" && one >= 3 && one % 7 === 0, String(one))
      assert.strictEqual(counts[0], counts[1])
    }))

  it.live("refuses params that do not fit, and what it does not describe, and tells so", () =>
    withPeer(document, {}, (peer) =>
      Effect.gen(function*() {
        const codes = yield* Effect.forEach(
          [["feed", [{ name: 1 }]], ["feed", []], ["feed", [{ name: "a" }, 2]], ["count", { more: 1 }], [
            "gone",
            []
          ]] as const,
          ([method, params]) => Effect.flip(peer.request(method, params))
        )
        assert.deepStrictEqual(codes.map((error) => "code" in error ? error.code : error._tag), [
          -32602,
          -32602,
          -32602,
          -32602,
          -32601
        ])
        assert.strictEqual((yield* Mock.unmatched).length, 5)
      })))

  it.live("serves a contract, and answers with its typed values", () => {
    class Bank extends Contract.make("Bank", {
      balance: Method.make({ params: { account: Schema.String }, result: Schema.Int })
    }) {}
    return Effect.gen(function*() {
      const bank = yield* Bank.Client
      assert.isTrue(Number.isInteger(yield* bank.balance({ account: "alice" })))
    }).pipe(Effect.provide(Bank.layerClient().pipe(Layer.provide(Peer.layer()), Layer.provide(Mock.layer(Bank)))))
  })

  it.effect("reads no more texts of a client than so many that wait to be answered", () =>
    Effect.gen(function*() {
      let read = 0
      const text = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "count", params: [] })
      const { serve } = yield* Mock.make(document)
      const receive = Effect.sync((): readonly [string] => [`${text}${" ".repeat(read++ % 2)}`])
      yield* Effect.forkChild(serve({ receive, send: () => Effect.never, close: Effect.void }), {
        startImmediately: true
      })
      for (let turn = 0; turn < 5_000; turn++) yield* Effect.yieldNow
      assert.strictEqual(read, 1_025)
    }))
})
