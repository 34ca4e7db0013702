/** A handler that takes a string and gives a string: no transport. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Schema } from "effect"
import { type Handler, Handler as Handlers, Router } from "../../src/index.ts"

const observed: Array<Pick<Handler.Call, "method" | "params">> = []

const router = Effect.tap(
  Router.make({
    fallback: (call) => Effect.sync(() => void observed.push({ method: call.method, params: call.params }))
  }),
  (router) =>
    router.addAll({
      echo: (call) => Effect.succeed(call.params ?? null),
      add: Handlers.withParams(Schema.Tuple([Schema.Finite, Schema.Finite]), ([a, b]) => Effect.succeed(a + b)),
      crash: () => Effect.die(new Error("secret"))
    })
)

const strict = Effect.tap(
  Router.make(),
  (router) => router.add("add", Handlers.withParams(Schema.Tuple([Schema.Finite]), ([a]) => Effect.succeed(a)))
)

const answer = (text: string) => Effect.flatMap(router, (router) => router.answer(text))

const refused = (id: unknown, code: number, message: string) =>
  Option.some(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":{"code":${code},"message":"${message}"}}`)

describe("a handler that takes a string and gives a string", () => {
  it.effect("A1: a valid request gives a compact response with the same id and the result", () =>
    Effect.gen(function*() {
      const response = Option.some(`{"jsonrpc":"2.0","id":"x","result":3}`)
      assert.deepStrictEqual(
        yield* answer(`{ "jsonrpc": "2.0", "method": "add", "params": [1, 2], "id": "x" }`),
        response
      )
    }))

  it.effect("A2: text that is not JSON gives -32700 with id null", () =>
    Effect.gen(function*() {
      for (const text of ["", "{", "nope", `{"jsonrpc":"2.0",}`, "[1,", "\u0000"]) {
        assert.deepStrictEqual(yield* answer(text), refused(null, -32700, "Parse error"))
      }
    }))

  it.effect("A3: an object without jsonrpc, with another version or without a method gives -32600", () =>
    Effect.gen(function*() {
      for (
        const text of [`{"method":"add","id":7}`, `{"jsonrpc":"1.0","method":"add","id":7}`, `{"jsonrpc":"2.0","id":7}`]
      ) {
        assert.deepStrictEqual(yield* answer(text), refused(7, -32600, "Invalid Request"))
      }
      assert.deepStrictEqual(yield* answer(`{"jsonrpc":"2.0"}`), refused(null, -32600, "Invalid Request"))
    }))

  it.effect("A4: an unknown method gives -32601, params that do not fit -32602, a defect -32603", () =>
    Effect.gen(function*() {
      const { answer } = yield* Effect.tap(strict, (router) => router.add("crash", () => Effect.die("secret")))
      const reply = (text: string) => Effect.map(answer(text), Option.map((text) => JSON.parse(text).error))
      assert.deepStrictEqual(
        yield* reply(`{"jsonrpc":"2.0","method":"sub","id":1}`),
        Option.some({ code: -32601, message: "Method not found", data: "sub" })
      )
      const params = yield* reply(`{"jsonrpc":"2.0","method":"add","params":["text"],"id":1}`)
      assert.deepInclude(Option.getOrThrow(params), { code: -32602, message: "Invalid params" })
      assert.deepStrictEqual(Option.getOrThrow(params).data[0].path, [0])
      assert.deepStrictEqual(
        yield* reply(`{"jsonrpc":"2.0","method":"crash","id":1}`),
        Option.some({ code: -32603, message: "Internal error" })
      )
    }))

  it.effect("A5: a notification gives nothing back, and is observable by the host", () =>
    Effect.gen(function*() {
      observed.length = 0
      assert.deepStrictEqual(yield* answer(`{"jsonrpc":"2.0","method":"changed","params":{"a":1}}`), Option.none())
      assert.deepStrictEqual(observed, [{ method: "changed", params: { a: 1 } }])
    }))

  it.effect("A6: an echo returns its params unchanged, and methods come and go beside the dispatcher", () =>
    Effect.gen(function*() {
      const { add, answer } = yield* router
      const params = `{"a":[1,null,{"b":"ü\\u0000"}],"":-0.5e-7}`
      const request = `{"jsonrpc":"2.0","id":1,"method":"echo","params":${params}}`
      assert.deepStrictEqual(
        Option.map(yield* answer(request), (text) => JSON.parse(text).result),
        Option.some(JSON.parse(params))
      )
      yield* Effect.scoped(Effect.gen(function*() {
        yield* add("later", () => Effect.succeed("here"))
        assert.deepInclude(yield* Effect.flip(add("later", () => Effect.void)), {
          _tag: "MethodTaken",
          method: "later"
        })
        assert.deepStrictEqual(
          yield* answer(`{"jsonrpc":"2.0","id":1,"method":"later"}`),
          Option.some(`{"jsonrpc":"2.0","id":1,"result":"here"}`)
        )
      }))
      assert.deepStrictEqual(
        yield* answer(`{"jsonrpc":"2.0","id":1,"method":"later"}`),
        Option.some(`{"jsonrpc":"2.0","id":1,"result":null}`)
      )
    }))

  it.effect("A6: batches run at once, each request after the notifications before it", () =>
    Effect.gen(function*() {
      const { answer } = yield* strict
      assert.deepStrictEqual(
        yield* answer(
          `[{"jsonrpc":"2.0","method":"add","params":[1]},{"jsonrpc":"2.0","method":"add","params":[2],"id":2},[]]`
        ),
        Option.some(
          `[{"jsonrpc":"2.0","id":2,"result":2},{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}]`
        )
      )
    }))
})
