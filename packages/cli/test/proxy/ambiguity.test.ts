/** Messages that two readers of JSON may see differently, on a line that clients share. */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Logger, References } from "effect"
import { make, received, send } from "./sharedLines.ts"

const refusal = (id: unknown) => ({ jsonrpc: "2.0", id, error: { code: -32600, message: "Invalid Request" } })

it.effect("refuses a call that another reader may give another id, name or kind", () =>
  Effect.gen(function*() {
    const line = yield* make()
    const rests = [
      `"ID":1`,
      `"Id":null`,
      `"\\u0130D":1`,
      `"id\\u0000":1`,
      `"id\\ud800":1`,
      `"METHOD":"other"`,
      `"param\u017f":[]`,
      `"re\\u017Fult":1`,
      `"result":1`,
      `"error":null`,
      `"jsonRPC":"1.0"`,
      `"method":"other"`,
      `"method":"a\\u0000"`,
      `"method":"\\udc00"`
    ]
    for (const rest of rests) {
      const text = `{"jsonrpc":"2.0","id":"a","method":"m",${rest}}`
      assert.deepStrictEqual((yield* line.askText(text)).map((text): unknown => JSON.parse(text)), [refusal("a")], rest)
      assert.deepStrictEqual(
        (yield* line.askText(`[${text}]`)).map((text): unknown => JSON.parse(text)),
        [[refusal("a")]],
        rest
      )
    }
    // Of ids that stand twice the last counts, as everywhere.
    for (const again of [`"id":1`, `"\\u0069d":1`]) {
      const text = `{"jsonrpc":"2.0","id":"a",${again},"method":"m"}`
      assert.deepStrictEqual((yield* line.askText(text)).map((text): unknown => JSON.parse(text)), [refusal(1)], again)
    }
    const other = yield* Effect.forkChild(line.other, { startImmediately: true })
    assert.isUndefined(other.pollUnsafe())
  }))

it.effect("says in a line for debugging why it has refused a text", () =>
  Effect.gen(function*() {
    const lines: Array<string> = []
    const logger = Logger.make(({ message }) => void lines.push(String(message)))
    const line = yield* make()
    const ambiguous = `{"jsonrpc":"2.0","id":"a","method":"m","ID":1}`
    yield* Effect.forEach([ambiguous, `[${ambiguous}]`, "[]"], line.askText).pipe(
      Effect.provideService(References.MinimumLogLevel, "Debug"),
      Effect.provide(Logger.layer([logger]))
    )
    const why = `the call with id "a" is no message: the name "ID" may be taken for \`id\``
    assert.deepStrictEqual(lines, [
      `Refused a text of a client: ${why}; it began ${ambiguous}`,
      `Refused a text of a client: ${why}; it began [${ambiguous}]`,
      "Refused a text of a client: the call with id null is no message: a batch must have a member; it began []"
    ])
  }))

it.effect("passes what lies in params and results byte for byte, and members of other names", () =>
  Effect.gen(function*() {
    const line = yield* make()
    const value = `{"ID":1, "id" :[1e400,12345678901234567890,{"id":1,"id":2}],"\\u0069d":"\\ud800\u017f"}`
    const asked = yield* Effect.forkChild(
      line.askText(`{"jsonrpc":"2.0","id":1.0,"method":"m","params":${value},"ids":0,"i":1}`)
    )
    const other = yield* line.other
    assert.deepStrictEqual(yield* other.receive, [
      `{"jsonrpc":"2.0","id":1,"method":"m","params":${value},"ids":0,"i":1}`
    ])
    yield* Effect.orDie(other.send([`{"jsonrpc":"2.0","id":1,"result":${value}}`]))
    assert.deepStrictEqual(yield* Fiber.join(asked), [`{"jsonrpc":"2.0","id":1.0,"result":${value}}`])
  }))

it.effect("answers the calls of a batch that are plain, and refuses the others", () =>
  Effect.gen(function*() {
    const line = yield* make()
    const plain = `{"jsonrpc":"2.0","id":"a","method":"m"}`
    const asked = yield* Effect.forkChild(line.askText(`[{"jsonrpc":"2.0","id":"b","method":"m","ID":1},${plain}]`))
    const other = yield* line.other
    assert.deepStrictEqual(yield* received(other), [[{ jsonrpc: "2.0", id: 1, method: "m" }]])
    yield* send(other, { jsonrpc: "2.0", id: 1, result: 5 })
    assert.deepStrictEqual((yield* Fiber.join(asked)).map((text): unknown => JSON.parse(text)), [
      [refusal("b"), { jsonrpc: "2.0", id: "a", result: 5 }]
    ])
  }))

it.effect("passes no answer on that its client may read as another, and says so", () =>
  Effect.gen(function*() {
    const line = yield* make()
    const asked = yield* Effect.forkChild(line.askText(`{"jsonrpc":"2.0","id":"a","method":"m"}`))
    const other = yield* line.other
    yield* received(other)
    yield* Effect.orDie(other.send([`{"jsonrpc":"2.0","id":1,"ID":2,"result":5}`]))
    assert.deepStrictEqual((yield* Fiber.join(asked)).map((text): unknown => JSON.parse(text)), [{
      jsonrpc: "2.0",
      id: "a",
      error: { code: -32000, message: "The answer of the endpoint cannot be read" }
    }])
    assert.deepStrictEqual(line.complaints, [
      "an answer of it is ambiguous and was not passed on: the name \"ID\" may be taken for `id`"
    ])
  }))

it.effect("passes no request on that cancels, and no cancellation in another spelling", () =>
  Effect.gen(function*() {
    const line = yield* make()
    assert.deepStrictEqual(yield* line.ask({ jsonrpc: "2.0", id: 1, method: "$/cancelRequest", params: { id: 1 } }), [
      { jsonrpc: "2.0", id: 1, error: { code: -32601, message: "Method not found", data: "$/cancelRequest" } }
    ])
    assert.deepStrictEqual(yield* line.ask({ jsonrpc: "2.0", method: "$/CancelReque\u017ft", params: { id: 1 } }), [])
    const other = yield* Effect.forkChild(line.other, { startImmediately: true })
    assert.isUndefined(other.pollUnsafe())
  }))
