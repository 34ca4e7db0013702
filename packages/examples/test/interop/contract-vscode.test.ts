import { assert, describe, it } from "@effect/vitest"
import { Contract, ContractPair, Method, Notification } from "@parley/contract"
import { NodeTcp } from "@parley/node"
import { ErrorResponse } from "@parley/peer"
import { Dialect, Framing } from "@parley/protocol"
import { Listener, Transport } from "@parley/transport"
import { Context, Effect, Layer, Logger, Queue, Schema } from "effect"
import type { Socket } from "node:net"
import * as rpc from "vscode-jsonrpc/node"
import { accepting, connected } from "./sides.ts"

class Insufficient extends Schema.TaggedError<Insufficient>()("Insufficient", { balance: Schema.Finite }) {}

class Frozen extends Schema.TaggedError<Frozen>()("Frozen", {
  since: Schema.Date,
  reason: Schema.optionalKey(Schema.String)
}) {}

class NoSuchAccount extends Schema.TaggedError<NoSuchAccount>()("NoSuchAccount", {}) {}

class Undeclared extends Schema.TaggedError<Undeclared>()("Undeclared", { secret: Schema.String }) {}

const errors = {
  1001: Insufficient,
  1002: Method.error(Frozen, "The account is frozen"),
  1003: NoSuchAccount
}

class Bank extends Contract.make("Bank", {
  withdraw: Method.make({
    params: { account: Schema.String, amount: Schema.Finite, at: Schema.optionalKey(Schema.Date) },
    result: Schema.Struct({ balance: Schema.Finite, at: Schema.Date }),
    errors
  }),
  named: Method.make({ params: { text: Schema.String }, result: Schema.String, paramStructure: "by-name" }),
  placed: Method.make({
    params: { text: Schema.String, times: Schema.optionalKey(Schema.Int) },
    result: Schema.String,
    paramStructure: "by-position"
  }),
  subtract: Method.make({ params: [Schema.Finite, Schema.Finite], result: Schema.Finite }),
  confirm: Method.make({ params: { question: Schema.String }, result: Schema.Boolean }),
  ping: Method.make(),
  note: Notification.make({ params: { text: Schema.String } })
}) {}

class Refused extends Schema.TaggedError<Refused>()("Refused", { by: Schema.String }) {}

class Customer extends Contract.make("Customer", {
  ask: Method.make({ params: { question: Schema.String }, result: Schema.Boolean, errors: { 7: Refused } })
}) {}

const protocol = ContractPair.make({ client: Customer, server: Bank, dialect: Dialect.lsp })

const quietly = Effect.provide(Logger.layer([]))

const epoch = new Date(0)
const iso = "1970-01-01T00:00:00.000Z"

/** How each account ends a withdrawal. */
const failures: { readonly [account: string]: Insufficient | Frozen | NoSuchAccount | ErrorResponse.ErrorResponse } = {
  poor: new Insufficient({ balance: 5 }),
  cold: new Frozen({ since: epoch }),
  gone: new NoSuchAccount({}),
  odd: ErrorResponse.make(9, "as it is", { deep: [1] })
}

const makeHandlers = (noted: Queue.Queue<string>) =>
  Bank.of({
    withdraw: ({ account, amount, at = epoch }) =>
      failures[account] === undefined
        ? Effect.succeed({ balance: 100 - amount, at })
        : Effect.fail(failures[account]),
    named: ({ text }) => Effect.succeed(text),
    placed: ({ text, times = 1 }) => Effect.succeed(text.repeat(times)),
    subtract: ([a, b]) => Effect.succeed(a - b),
    // A typed call back: its typed error is told from everything else that may happen.
    confirm: (params, { peer }) =>
      Effect.mapError(
        Customer.client(peer).ask(params),
        (error) =>
          error._tag === "Refused" ? ErrorResponse.make(8, `${error.by} refused`) : ErrorResponse.internalError()
      ),
    ping: () => Effect.die(new Undeclared({ secret: "not for you" })),
    note: ({ text }) => Queue.offer(noted, text)
  })

/** They write a message in two parts, and the second would wait for the first to be acknowledged. */
const connectionOver = (socket: Socket) =>
  rpc.createMessageConnection(
    new rpc.SocketMessageReader(socket.setNoDelay()),
    new rpc.SocketMessageWriter(socket)
  )

/** Our bank behind a port, and their connection to it. */
const customer = Effect.gen(function*() {
  const noted = yield* Queue.unbounded<string>()
  const listener = yield* NodeTcp.makeListener({ port: 0, framing: Framing.contentLength })
  yield* protocol.serve(makeHandlers(noted)).pipe(
    Effect.provideService(Listener.Listener, listener),
    Effect.forkScoped
  )
  const connection = connectionOver(yield* connected(Number(new URL(listener.address).port)))
  yield* Effect.addFinalizer(() => Effect.sync(() => connection.dispose()))
  connection.listen()
  const ask = (method: string, ...params: ReadonlyArray<unknown>) =>
    Effect.promise(() => connection.sendRequest<unknown>(method, ...params))
  const refused = (method: string, ...params: ReadonlyArray<unknown>) =>
    Effect.promise(() =>
      connection.sendRequest(method, ...params).then(
        (result) => assert.fail(`it gave ${JSON.stringify(result)}`),
        (error: rpc.ResponseError<unknown>) => {
          assert.instanceOf(error, rpc.ResponseError)
          return { code: error.code, message: error.message, data: error.data }
        }
      )
    )
  return { ask, connection, noted: Queue.take(noted), refused }
})

describe("vscode-jsonrpc as the client of our contract", () => {
  it.live("sees a typed error as its code, its message, and its fields without `_tag`", () =>
    Effect.gen(function*() {
      const { refused } = yield* customer
      const withdrawal = (account: string) => refused("withdraw", { account, amount: 9 })
      assert.deepStrictEqual(yield* withdrawal("poor"), { code: 1001, message: "Insufficient", data: { balance: 5 } })
      assert.deepStrictEqual(yield* withdrawal("cold"), {
        code: 1002,
        message: "The account is frozen",
        data: { since: iso }
      })
      assert.deepStrictEqual(yield* withdrawal("gone"), { code: 1003, message: "NoSuchAccount", data: undefined })
      assert.deepStrictEqual(yield* withdrawal("odd"), { code: 9, message: "as it is", data: { deep: [1] } })
    }))

  it.live("sees a defect as an internal error without data", () =>
    Effect.gen(function*() {
      const { refused } = yield* customer
      assert.deepStrictEqual(yield* refused("ping"), { code: -32603, message: "Internal error", data: undefined })
    }).pipe(quietly))

  it.live("calls by name and by position, where the contract takes both", () =>
    Effect.gen(function*() {
      const { ask, connection, noted } = yield* customer
      const { byName, byPosition } = rpc.ParameterStructures
      const rich = { account: "rich", amount: 9 }
      assert.deepStrictEqual(yield* ask("withdraw", byName, rich), { balance: 91, at: iso })
      assert.deepStrictEqual(yield* ask("withdraw", byPosition, "rich", 9), { balance: 91, at: iso })
      const later = "1970-01-02T00:00:00.000Z"
      assert.deepStrictEqual(yield* ask("withdraw", "rich", 9, later), { balance: 91, at: later })
      assert.strictEqual(yield* ask("named", { text: "a" }), "a")
      assert.strictEqual(yield* ask("placed", byPosition, "a"), "a")
      assert.strictEqual(yield* ask("placed", "a", 3), "aaa")
      assert.strictEqual(yield* ask("subtract", 42, 23), 19)
      yield* Effect.promise(() => connection.sendNotification("note", byName, { text: "by name" }))
      yield* Effect.promise(() => connection.sendNotification("note", byPosition, "by position"))
      assert.deepStrictEqual([yield* noted, yield* noted], ["by name", "by position"])
    }))

  it.live("is refused with -32602 and the path of each issue, and with -32601 and the method", () =>
    Effect.gen(function*() {
      const { refused } = yield* customer
      const { byName, byPosition } = rpc.ParameterStructures
      const invalid = (...issues: ReadonlyArray<unknown>) => ({ code: -32602, message: "Invalid params", data: issues })
      assert.deepStrictEqual(
        yield* refused("withdraw", { account: "rich", amount: "9" }),
        invalid({ path: ["amount"], message: "Expected number" })
      )
      assert.deepStrictEqual(
        yield* refused("withdraw", byPosition, "rich"),
        invalid({ path: ["amount"], message: "Missing key" })
      )
      assert.deepStrictEqual(
        yield* refused("withdraw", "rich", 9, iso, "more"),
        invalid({ path: [], message: "there are at most 3 params" })
      )
      assert.deepStrictEqual(
        yield* refused("named", byPosition, "a"),
        invalid({ path: [], message: "params must be an object" })
      )
      assert.deepStrictEqual(
        yield* refused("placed", byName, { text: "a" }),
        invalid({ path: [], message: "params must be an array" })
      )
      assert.deepStrictEqual(
        yield* refused("subtract", 42, "23"),
        invalid({ path: [1], message: "Expected number" })
      )
      assert.deepStrictEqual(yield* refused("nope"), { code: -32601, message: "Method not found", data: "nope" })
    }))

  it.live("answers our typed call with a result and with a typed error", () =>
    Effect.gen(function*() {
      const { ask, connection, refused } = yield* customer
      connection.onRequest("ask", ({ question }: { readonly question: string }) =>
        question === "sure?" ? true : new rpc.ResponseError(7, "no", { by: "the customer", extra: 1 }))
      assert.strictEqual(yield* ask("confirm", { question: "sure?" }), true)
      assert.deepStrictEqual(yield* refused("confirm", { question: "really?" }), {
        code: 8,
        message: "the customer refused",
        data: undefined
      })
    }))
})

/** Their server, and our typed client of it. */
const bank = (prepare: (server: rpc.MessageConnection) => void) =>
  Effect.gen(function*() {
    const port = yield* accepting((socket) => {
      const server = connectionOver(socket)
      prepare(server)
      server.listen()
    })
    const side = Layer.build(protocol.layerClient({ ask: () => Effect.fail(new Refused({ by: "us" })) }))
    const transport = yield* NodeTcp.makeTransport({ port, framing: Framing.contentLength })
    return Context.get(yield* Effect.provideService(side, Transport.Transport, transport), Bank.Client)
  })

/** A bank whose withdrawals all fail like this, and the error that our client has of it. */
const refusal = (error: () => unknown) =>
  Effect.gen(function*() {
    const client = yield* bank((server) => server.onRequest("withdraw", error))
    return yield* Effect.flip(client.withdraw({ account: "any", amount: 9 }))
  })

describe("vscode-jsonrpc as the server of our typed client", () => {
  it.live("fails a call with the typed error of its code, from plain data", () =>
    Effect.gen(function*() {
      const poor = yield* refusal(() => {
        throw new rpc.ResponseError(1001, "no money", { balance: 5 })
      })
      assert.instanceOf(poor, Insufficient)
      assert.deepStrictEqual({ ...poor }, { ...new Insufficient({ balance: 5 }) })

      const cold = yield* refusal(() => new rpc.ResponseError(1002, "", { since: iso, reason: "a bet", extra: [1] }))
      assert.instanceOf(cold, Frozen)
      assert.deepStrictEqual([cold.since, cold.reason], [epoch, "a bet"])

      for (const data of [undefined, null, {}, { more: 1 }]) {
        assert.instanceOf(yield* refusal(() => new rpc.ResponseError(1003, "gone", data)), NoSuchAccount)
      }
    }))

  it.live("is told apart by the code alone: a `_tag` in its data means nothing", () =>
    Effect.gen(function*() {
      const poor = yield* refusal(() => new rpc.ResponseError(1001, "", { _tag: "Frozen", balance: 5 }))
      assert.instanceOf(poor, Insufficient)
      const odd = yield* refusal(() => new rpc.ResponseError(1000, "", { _tag: "Insufficient", balance: 5 }))
      assert.deepInclude(odd, { _tag: "RemoteError", code: 1000, data: { _tag: "Insufficient", balance: 5 } })
    }))

  it.live("gives what does not fit the contract as it is: code, message and data", () =>
    Effect.gen(function*() {
      const untouched = (code: number, data: Schema.Json) =>
        Effect.map(refusal(() => new rpc.ResponseError(code, "as it is", data)), (error) => {
          assert.deepInclude(error, { _tag: "RemoteError", code, text: "as it is", data })
        })
      yield* untouched(1001, { balance: "five" })
      yield* untouched(1001, { money: 5 })
      yield* untouched(1001, "five")
      yield* untouched(1002, { since: "yesterday" })
      yield* untouched(1234, { balance: 5 })
      yield* untouched(1003, "no object")
      const absent = yield* refusal(() => new rpc.ResponseError(1001, "no data"))
      assert.deepInclude(absent, { _tag: "RemoteError", code: 1001, text: "no data" })
      const thrown = yield* refusal(() => {
        throw new Error("a bug")
      })
      assert.deepInclude(thrown, {
        _tag: "RemoteError",
        code: -32603,
        text: "Request withdraw failed with message: a bug"
      })
    }))

  it.live("gets params by name, or by position where the contract says so", () =>
    Effect.gen(function*() {
      const { byName } = rpc.ParameterStructures
      const noted = yield* Queue.unbounded<unknown>()
      const client = yield* bank((server) => {
        server.onRequest(new rpc.RequestType("withdraw", byName), (params) => ({ balance: 1, at: iso, params }))
        server.onRequest(new rpc.RequestType<{ readonly text: string }, string, void>("named", byName), ({ text }) =>
          text)
        server.onRequest(new rpc.RequestType2<string, number, string, void>("placed"), (text, times) =>
          `${text} ${times}`)
        server.onRequest(new rpc.RequestType2<number, number, number, void>("subtract"), (a, b) =>
          a - b)
        server.onRequest(new rpc.RequestType0<void, void>("ping"), () => {})
        server.onNotification(new rpc.NotificationType("note", byName), (params) =>
          void Queue.offerUnsafe(noted, params))
      })
      assert.deepStrictEqual(yield* client.withdraw({ account: "any", amount: 9 }), { balance: 1, at: epoch })
      assert.strictEqual(yield* client.named({ text: "a" }), "a")
      assert.strictEqual(yield* client.placed({ text: "a", times: 3 }), "a 3")
      assert.strictEqual(yield* client.subtract([42, 23]), 19)
      assert.strictEqual(yield* client.ping(), undefined)
      yield* client.note({ text: "hi" })
      assert.deepStrictEqual(yield* Queue.take(noted), { text: "hi" })
    }))

  it.live("refuses with -32602 and -32601, and what gives something else is an InvalidResult", () =>
    Effect.gen(function*() {
      const { byPosition } = rpc.ParameterStructures
      const client = yield* bank((server) => {
        server.onRequest(new rpc.RequestType<unknown, string, void>("named", byPosition), () => "never")
        server.onRequest("withdraw", () => ({ balance: 1, at: "yesterday" }))
      })
      assert.deepInclude(yield* Effect.flip(client.named({ text: "a" })), {
        _tag: "RemoteError",
        code: -32602,
        text: "Request named defines parameters by position but received parameters by name"
      })
      assert.deepInclude(yield* Effect.flip(client.placed({ text: "a" })), {
        _tag: "RemoteError",
        code: -32601,
        text: "Unhandled method placed"
      })
      const invalid = yield* Effect.flip(client.withdraw({ account: "any", amount: 9 }))
      assert.deepInclude(invalid, { _tag: "InvalidResult", method: "withdraw" })
    }))

  it.live("sees our typed error as its code and data when it calls us", () =>
    Effect.gen(function*() {
      let seen: unknown
      const client = yield* bank((server) => {
        server.onRequest<boolean, unknown>("confirm", async (params: object) => {
          const { code, data, message } = await server.sendRequest("ask", params).then(
            () => assert.fail("it was not refused"),
            (error: rpc.ResponseError<unknown>) => error
          )
          seen = { code, data, message }
          return false
        })
      })
      assert.strictEqual(yield* client.confirm({ question: "sure?" }), false)
      assert.deepStrictEqual(seen, { code: 7, message: "Refused", data: { by: "us" } })
    }))
})
