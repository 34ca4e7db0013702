/** Which errors have which codes, and what is refused when a contract is made. */
import { assert, describe, it } from "@effect/vitest"
import { Subscription } from "@parley/contract"
import { Effect, Layer, Schema } from "effect"
import { Rpc, RpcGroup, RpcMiddleware, RpcSchema } from "effect/rpc"
import { EffectRpc } from "../src/index.ts"
import { pair } from "./sides.ts"

class A extends Schema.TaggedError<A>()("A", { a: Schema.String }, EffectRpc.code(1)) {}
class B extends Schema.TaggedError<B>()("B", {}, EffectRpc.code(2)) {}
class Bare extends Schema.TaggedError<Bare>()("Bare", {}) {}

/** The codes of the errors of one Rpc. */
const codesOf = (rpc: Rpc.Any): ReadonlyArray<number> => {
  // Every Rpc here is one that can be mapped.
  const group = RpcGroup.make(rpc) as unknown as RpcGroup.RpcGroup<Rpc.Rpc<"m">>
  const { m } = EffectRpc.contract("Codes", group).members
  return Object.keys(m.errors).map(Number)
}

const failing = (error: Schema.Top) => Rpc.make("m", { error })

describe("the codes of errors", () => {
  const Busy = Schema.Literal("Busy").annotate(EffectRpc.code(3))

  it("are those of their Schemas, in unions of any depth, each once", () => {
    assert.deepStrictEqual(codesOf(failing(A)), [1])
    assert.deepStrictEqual(codesOf(failing(Schema.Union([A, Schema.Union([B, Busy]), A]))), [1, 2, 3])
    assert.deepStrictEqual(codesOf(failing(Schema.Never)), [])
  })

  it("are those that the Rpc names, before those of the Schemas", () => {
    const named = failing(Schema.Union([A, Bare])).annotate(EffectRpc.ErrorCodes, { Bare: 10, A: 11, Other: 12 })
    assert.deepStrictEqual(codesOf(named), [10, 11])
    const texts = failing(Schema.Literals(["Busy", "Gone"])).annotate(EffectRpc.ErrorCodes, { Busy: 20, Gone: 21 })
    assert.deepStrictEqual(codesOf(texts), [20, 21])
  })

  it("are of streams, of who opens them, and of middleware", () => {
    class Auth extends RpcMiddleware.Service<Auth>()("Auth", { error: Busy }) {}
    const stream = Rpc.make("m", { success: RpcSchema.Stream(Schema.Int, A), error: B }).middleware(Auth)
    assert.deepStrictEqual(codesOf(stream), [1, 2, 3])
    assert.deepStrictEqual(codesOf(Rpc.make("m", { error: A, success: Schema.Int, stream: true })), [1])
  })

  it("may be any that the specification leaves to us", () => {
    for (const code of [0, -1, 404, -32000, -32099, -32800, 2 ** 40]) {
      assert.deepStrictEqual(codesOf(failing(Bare).annotate(EffectRpc.ErrorCodes, { Bare: code })), [code])
    }
  })

  it.effect("tell errors apart that have no tag, and a union with a code of its own is one error", () =>
    Effect.gen(function*() {
      class Texts extends RpcGroup.make(
        Rpc.make("text", {
          payload: Schema.Int,
          error: Schema.Union([Busy, Schema.Finite.annotate(EffectRpc.code(4))])
        }),
        Rpc.make("both", { payload: Schema.Int, error: Schema.Union([A, Bare]).annotate(EffectRpc.code(5)) })
      ) {}
      const texts: Array<string> = []
      const caller = yield* pair(
        Layer.provide(
          EffectRpc.layerHandlers(Texts),
          Texts.toLayer({
            text: (count) => Effect.fail(count === 0 ? "Busy" : count),
            both: (count) => Effect.fail(count === 0 ? new Bare() : new A({ a: "a" }))
          })
        ),
        texts
      )
      const client = EffectRpc.contract("Texts", Texts).client(caller)
      assert.strictEqual(yield* Effect.flip(client.text(0)), "Busy")
      assert.strictEqual(yield* Effect.flip(client.text(7)), 7)
      assert.deepStrictEqual(yield* Effect.flip(client.both(0)), new Bare())
      assert.deepStrictEqual(yield* Effect.flip(client.both(1)), new A({ a: "a" }))
      assert.deepStrictEqual(texts.filter((text) => text.includes("error")), [
        `{"jsonrpc":"2.0","id":1,"error":{"code":3,"message":"Application error","data":"Busy"}}`,
        `{"jsonrpc":"2.0","id":2,"error":{"code":4,"message":"Application error","data":7}}`,
        `{"jsonrpc":"2.0","id":3,"error":{"code":5,"message":"Application error","data":{"_tag":"Bare"}}}`,
        `{"jsonrpc":"2.0","id":4,"error":{"code":5,"message":"Application error","data":{"_tag":"A","a":"a"}}}`
      ])
    }))
})

describe("a contract cannot be made", () => {
  const refusal = (...rpcs: ReadonlyArray<Rpc.Any>): string => {
    // Their types say nothing of what is wrong here.
    const group = RpcGroup.make(...rpcs) as unknown as RpcGroup.RpcGroup<Rpc.Rpc<"m">>
    const makers = [
      () => EffectRpc.contract("Refused", group),
      () => EffectRpc.layerHandlers(group),
      () => EffectRpc.makeClient(group)
    ]
    const [first, ...others] = makers.map((make) => {
      try {
        make()
        return "no refusal"
      } catch (error) {
        return error instanceof TypeError ? error.message : String(error)
      }
    })
    for (const other of others) assert.strictEqual(other, first)
    return first ?? ""
  }

  it("where an error has no code, and all of them are named", () => {
    assert.strictEqual(
      refusal(
        Rpc.make("one", { error: Schema.Union([A, Bare]) }),
        Rpc.make("two"),
        Rpc.make("three", { error: Schema.String, stream: true })
      ),
      "not every Rpc of the group can be called by JSON-RPC:\n" +
        "- one fails with Bare, which has no code\n" +
        "- three fails with String, which has no code"
    )
  })

  it("where two errors have one code", () => {
    assert.match(
      refusal(failing(Schema.Union([A, B])).annotate(EffectRpc.ErrorCodes, { B: 1 })),
      /m fails with B, whose code 1 is that of A/
    )
  })

  it("where a code is reserved, or no integer", () => {
    for (const code of [-32700, -32600, -32601, -32603, -32768, -32100, 1.5, Number.NaN, 2 ** 53]) {
      const message = refusal(failing(Bare).annotate(EffectRpc.ErrorCodes, { Bare: code }))
      assert.include(message, `m fails with Bare, whose code ${code} is reserved, or no integer`)
    }
  })

  it("where a stream has no place for the token of partial results", () => {
    const streaming = (payload: Schema.Top) => Rpc.make("m", { payload, success: Schema.Int, stream: true })
    const entries = Schema.Record(Schema.String, Schema.Int)
    for (const payload of [Schema.String, Schema.Tuple([Schema.Int]), entries, Schema.Array(Schema.Int)]) {
      assert.match(refusal(streaming(payload)), /m streams, and its payload has no place for the token/)
      const carrier = Subscription.notifications({ notification: "n", close: "c" })
      assert.strictEqual(refusal(streaming(payload).annotate(EffectRpc.Carrier, carrier)), "no refusal")
    }
    const tree: Schema.Codec<Tree> = Schema.Struct({ children: Schema.Array(Schema.suspend(() => tree)) })
    const either = Schema.Union([Schema.Struct({ a: Schema.Int }), Schema.suspend(() => tree)])
    for (const payload of [Schema.Void, Schema.Struct({}), tree, either]) {
      assert.strictEqual(refusal(streaming(payload)), "no refusal")
    }
  })
})

interface Tree {
  readonly children: ReadonlyArray<Tree>
}
