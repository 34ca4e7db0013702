import { assert, it } from "@effect/vitest"
import * as Dialect from "@parley/protocol/Dialect"
import * as Limits from "@parley/protocol/Limits"
import * as Transport from "@parley/transport/Transport"
import { Effect, Exit, Fiber, Scope } from "effect"
import * as SharedLine from "../../src/internal/proxy/SharedLine.ts"
import { make, received, send } from "./sharedLines.ts"

const request = (id: number | string, method = "m") => ({ jsonrpc: "2.0", id, method })

const success = (id: number | string, result: unknown) => ({ jsonrpc: "2.0", id, result })

const lost = (id: number | string) => ({
  jsonrpc: "2.0",
  id,
  error: {
    code: -32000,
    message: "The connection to the endpoint was lost",
    data: "the other side writes no more"
  }
})

it.effect("numbers the requests of all clients anew, and gives each response its own id again", () =>
  Effect.gen(function*() {
    const line = yield* make()
    const first = yield* Effect.forkChild(line.ask(request("a")))
    const second = yield* Effect.forkChild(line.ask(request("a")))
    const other = yield* line.other
    assert.deepStrictEqual(yield* received(other, 2), [request(1), request(2)])
    yield* send(other, [success(2, "second"), success(1, "first")])
    assert.deepStrictEqual(yield* Fiber.join(first), [success("a", "first")])
    assert.deepStrictEqual(yield* Fiber.join(second), [success("a", "second")])
  }))

it.effect("answers a batch when all of its responses have come, one by one and in any order", () =>
  Effect.gen(function*() {
    const line = yield* make()
    const batch = yield* Effect.forkChild(
      line.ask([request("a"), { jsonrpc: "2.0", method: "n" }, { no: "message" }, request("b")])
    )
    const other = yield* line.other
    assert.deepStrictEqual(yield* received(other), [[request(1), { jsonrpc: "2.0", method: "n" }, request(2)]])
    yield* send(other, success(2, "b"))
    yield* send(other, success(1, "a"))
    assert.deepStrictEqual(yield* Fiber.join(batch), [[
      success("a", "a"),
      { jsonrpc: "2.0", id: null, error: { code: -32600, message: "Invalid Request" } },
      success("b", "b")
    ]])
  }))

it.effect("answers what is no message itself, and opens no connection for it", () =>
  Effect.gen(function*() {
    const line = yield* make()
    assert.deepStrictEqual(yield* line.ask([]), [
      { jsonrpc: "2.0", id: null, error: { code: -32600, message: "Invalid Request" } }
    ])
    assert.deepStrictEqual(yield* line.ask(success(1, 2)), [])
    const opened = yield* Effect.forkChild(line.other, { startImmediately: true })
    assert.isUndefined(opened.pollUnsafe())
    assert.deepStrictEqual(yield* line.ask({ jsonrpc: "2.0", method: "n" }), [])
    assert.deepStrictEqual(yield* received(yield* Fiber.join(opened)), [{ jsonrpc: "2.0", method: "n" }])
  }))

it.effect("answers what the endpoint asks with -32601, since nobody could", () =>
  Effect.gen(function*() {
    const line = yield* make()
    const asked = yield* Effect.forkChild(line.ask(request(7)))
    const other = yield* line.other
    yield* received(other)
    yield* send(other, request("theirs", "roots/list"))
    assert.deepStrictEqual(yield* received(other), [{
      jsonrpc: "2.0",
      id: "theirs",
      error: { code: -32601, message: "Method not found", data: "roots/list" }
    }])
    yield* send(other, { jsonrpc: "2.0", method: "log" })
    yield* send(other, success(1, null))
    assert.deepStrictEqual(yield* Fiber.join(asked), [success(7, null)])
  }))

it.effect("forgets a client that goes away, and drops its late response", () =>
  Effect.gen(function*() {
    const line = yield* make({ waiting: 1 })
    const gone = yield* Effect.forkChild(line.ask(request(1)))
    const other = yield* line.other
    yield* received(other)
    // The one place is taken.
    assert.deepStrictEqual(yield* line.ask(request(5)), [
      { jsonrpc: "2.0", id: 5, error: { code: -32000, message: "Too many requests wait for the endpoint" } }
    ])
    yield* Fiber.interrupt(gone)
    const stays = yield* Effect.forkChild(line.ask(request(1)))
    assert.deepStrictEqual(yield* received(other), [request(2)])
    yield* send(other, success(1, "late"))
    yield* send(other, success(2, "mine"))
    assert.deepStrictEqual(yield* Fiber.join(stays), [success(1, "mine")])
  }))

it.effect("answers all that waits when the connection is lost, and opens another for the next request", () =>
  Effect.gen(function*() {
    const line = yield* make()
    const single = yield* Effect.forkChild(line.ask(request("a")))
    const batch = yield* Effect.forkChild(line.ask([request("b"), request("c")]))
    const other = yield* line.other
    yield* received(other, 2)
    yield* send(other, success(2, "in time"))
    yield* other.close
    assert.deepStrictEqual(yield* Fiber.join(single), [lost("a")])
    assert.deepStrictEqual(yield* Fiber.join(batch), [[success("b", "in time"), lost("c")]])

    const next = yield* Effect.forkChild(line.ask(request("d")))
    const another = yield* line.other
    assert.deepStrictEqual(yield* received(another), [request(1)])
    yield* send(another, success(1, "again"))
    assert.deepStrictEqual(yield* Fiber.join(next), [success("d", "again")])
    assert.deepStrictEqual(line.complaints, ["the other side writes no more"])
  }))

it.effect("answers that the endpoint cannot be reached", () =>
  Effect.gen(function*() {
    const open = Effect.fail(Transport.transportError({ _tag: "Open", cause: new Error("nobody") }))
    const { post } = yield* SharedLine.make(open, {
      rules: { ...Dialect.jsonRpc, ...Limits.defaults },
      complain: () => Effect.void
    })
    const texts: Array<string> = []
    yield* post(JSON.stringify([request(1), { jsonrpc: "2.0", method: "n" }]), (text) => void texts.push(text))
    assert.deepStrictEqual(texts.map((text): unknown => JSON.parse(text)), [[{
      jsonrpc: "2.0",
      id: 1,
      error: { code: -32000, message: "The endpoint cannot be reached", data: "could not be opened: nobody" }
    }]])
  }))

it.effect("gives an error without an id to the one text that waits, and to nobody where several do", () =>
  Effect.gen(function*() {
    const line = yield* make()
    const nameless = { jsonrpc: "2.0", id: null, error: { code: -32600, message: "no batches here" } }
    const first = yield* Effect.forkChild(line.ask([request("a"), request("b")]))
    const other = yield* line.other
    yield* received(other)
    const second = yield* Effect.forkChild(line.ask(request("c")))
    yield* received(other)
    yield* send(other, nameless)
    yield* send(other, success(3, "c"))
    assert.deepStrictEqual(yield* Fiber.join(second), [success("c", "c")])
    assert.isUndefined(first.pollUnsafe())
    yield* send(other, nameless)
    assert.deepStrictEqual(yield* Fiber.join(first), [[{ ...nameless, id: "a" }, { ...nameless, id: "b" }]])
  }))

it.effect("passes no cancellation on: its id would be that of another client's request", () =>
  Effect.gen(function*() {
    const line = yield* make()
    for (const method of ["$/cancelRequest", "notifications/cancelled"]) {
      const cancellation = { jsonrpc: "2.0", method, params: { id: 1, requestId: 1 } }
      assert.deepStrictEqual(yield* line.ask(cancellation), [])
      assert.deepStrictEqual(yield* line.ask([cancellation]), [])
    }
    yield* line.ask({ jsonrpc: "2.0", method: "n" })
    assert.deepStrictEqual(yield* received(yield* line.other), [{ jsonrpc: "2.0", method: "n" }])
  }))

it.effect("an error without an id in a batch is no answer to requests that have theirs", () =>
  Effect.gen(function*() {
    const line = yield* make()
    const nameless = { jsonrpc: "2.0", id: null, error: { code: 1, message: "no notifications here" } }
    const batch = yield* Effect.forkChild(line.ask([{ jsonrpc: "2.0", method: "n" }, request("a"), request("b")]))
    const other = yield* line.other
    yield* received(other)
    yield* send(other, [nameless, success(1, 42)])
    assert.deepStrictEqual(yield* Fiber.join(batch), [[success("a", 42), { ...nameless, id: "b" }]])
  }))

it.effect("passes calls of JSON-RPC 1.0 where the dialect has them, and answers in their form", () =>
  Effect.gen(function*() {
    const line = yield* make({}, Dialect.jsonRpc1)
    const notification = { method: "n", params: [], id: null }
    assert.deepStrictEqual(yield* line.ask(notification), [])
    const other = yield* line.other
    assert.deepStrictEqual(yield* received(other), [notification])
    const asked = yield* Effect.forkChild(line.ask({ method: "m", params: [1], id: "a" }))
    assert.deepStrictEqual(yield* received(other), [{ method: "m", params: [1], id: 1 }])
    yield* send(other, { id: 1, result: "b", error: null })
    assert.deepStrictEqual(yield* Fiber.join(asked), [{ id: "a", result: "b", error: null }])
    assert.deepStrictEqual(yield* line.ask({ id: 7 }), [
      { id: 7, result: null, error: { code: -32600, message: "Invalid Request" } }
    ])
    const gone = yield* Effect.forkChild(line.ask({ method: "m", params: [], id: 2 }))
    yield* received(other)
    yield* other.close
    assert.deepStrictEqual((yield* Fiber.join(gone)).map((answer) => Object.keys(Object(answer))), [
      ["id", "result", "error"]
    ])
  }))

it.effect("carries ids of JSON-RPC 1.0, which may be any JSON", () =>
  Effect.gen(function*() {
    const line = yield* make({}, Dialect.jsonRpc1)
    const ids = [`{ "a": [1.0] }`, `[]`, `true`, `false`]
    const asked = yield* Effect.forkChild(
      Effect.forEach(ids, (id) => line.askText(` {"id":${id} ,"method":"m","params":[]}`), { concurrency: "unbounded" })
    )
    const other = yield* line.other
    const numbers = [1, 2, 3, 4]
    assert.deepStrictEqual(yield* received(other, 4), numbers.map((id) => ({ id, method: "m", params: [] })))
    yield* Effect.forEach(numbers.reverse(), (id) => send(other, { result: id, id, error: null }))
    assert.deepStrictEqual(
      yield* Fiber.join(asked),
      ids.map((id, at) => [`{"result":${at + 1},"id":${id},"error":null}`])
    )
    assert.deepStrictEqual(yield* line.askText(`{"id":{},"method":1}`), [
      `{"id":{},"result":null,"error":{"code":-32600,"message":"Invalid Request"}}`
    ])
    const batch = yield* line.askText(`[{"id":{},"method":"m","params":[]}]`)
    assert.match(batch.join(), /^\{"id":null,.*-32600/)
    const gone = yield* Effect.forkChild(line.askText(`{"id":{},"method":"m","params":[]}`))
    yield* received(other)
    yield* other.close
    assert.match((yield* Fiber.join(gone)).join(), /^\{"id":\{\},.*-32000/)
  }))

it.effect("refuses such an id where the dialect has it not", () =>
  Effect.gen(function*() {
    const line = yield* make()
    assert.deepStrictEqual(yield* line.ask({ jsonrpc: "2.0", id: {}, method: "m" }), [
      { jsonrpc: "2.0", id: null, error: { code: -32600, message: "Invalid Request" } }
    ])
  }))

it.effect("closes its connection with its Scope", () =>
  Effect.gen(function*() {
    const scope = yield* Scope.make()
    const line = yield* Scope.provide(make(), scope)
    yield* line.ask({ jsonrpc: "2.0", method: "n" })
    const other = yield* line.other
    yield* received(other)
    yield* Scope.close(scope, Exit.void)
    assert.strictEqual((yield* Effect.flip(other.receive)).reason._tag, "EndOfInput")
  }))
