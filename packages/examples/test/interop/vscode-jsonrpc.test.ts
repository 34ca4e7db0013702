import { assert, describe, it } from "@effect/vitest"
import { NodeChildProcess } from "@parley/node"
import { ErrorResponse, Peer } from "@parley/peer"
import { Dialect, Framing } from "@parley/protocol"
import { Deferred, Effect, Fiber } from "effect"
import { createRequire } from "node:module"
import * as rpc from "vscode-jsonrpc/node"
import { accepting, connected, peer, served } from "./sides.ts"

const speech = { framing: Framing.contentLength, dialect: Dialect.lsp }

/** Their connection to a port. */
const theirs = (port: number) =>
  Effect.gen(function*() {
    const socket = yield* connected(port)
    const connection = rpc.createMessageConnection(
      new rpc.SocketMessageReader(socket),
      new rpc.SocketMessageWriter(socket)
    )
    yield* Effect.addFinalizer(() => Effect.sync(() => connection.dispose()))
    return connection
  })

/** The error that a call of theirs rejects with. */
const errorOf = (call: Promise<unknown>): Effect.Effect<{ readonly code: number; readonly data: unknown }> =>
  Effect.promise(() => call.then(() => assert.fail("it succeeded"), (error: rpc.ResponseError<unknown>) => error))

describe("vscode-jsonrpc as the client of our server", () => {
  it.live("gets results for params by position, by name, and without any", () =>
    Effect.gen(function*() {
      const client = yield* theirs(yield* served(speech))
      client.listen()
      assert.strictEqual(yield* Effect.promise(() => client.sendRequest("subtract", 42, 23)), 19)
      assert.strictEqual(
        yield* Effect.promise(() => client.sendRequest("subtract", { minuend: 42, subtrahend: 23 })),
        19
      )
      assert.strictEqual(yield* Effect.promise(() => client.sendRequest("echo")), null)
    }))

  it.live("gets our errors with code and data", () =>
    Effect.gen(function*() {
      const client = yield* theirs(yield* served(speech))
      client.listen()
      const failed = yield* errorOf(client.sendRequest("fail"))
      assert.deepStrictEqual({ code: failed.code, data: failed.data }, { code: 1234, data: { detail: "boom" } })
      assert.strictEqual((yield* errorOf(client.sendRequest("nope"))).code, rpc.ErrorCodes.MethodNotFound)
      assert.strictEqual((yield* errorOf(client.sendRequest("subtract", 1))).code, rpc.ErrorCodes.InvalidParams)
    }))

  it.live("cancels a call with its token, and our handler is interrupted", () =>
    Effect.gen(function*() {
      const started = yield* Deferred.make<void>()
      const interrupted = yield* Deferred.make<void>()
      const port = yield* served(speech, {
        wait: () =>
          Effect.andThen(Deferred.succeed(started, undefined), Effect.never).pipe(
            Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
          )
      })
      const client = yield* theirs(port)
      client.listen()
      const source = new rpc.CancellationTokenSource()
      const call = client.sendRequest("wait", {}, source.token)
      yield* Deferred.await(started)
      source.cancel()
      assert.strictEqual((yield* errorOf(call)).code, -32800)
      yield* Deferred.await(interrupted)
    }))

  it.live("gets progress of its token before the result, and sends us notifications", () =>
    Effect.gen(function*() {
      const noted = yield* Deferred.make<unknown>()
      const port = yield* served(speech, {
        note: ({ params }) => Deferred.succeed(noted, params),
        work: ({ progress }) =>
          Effect.as(Effect.orDie(Effect.andThen(progress({ value: 1 }), progress({ value: 2 }))), "done")
      })
      const client = yield* theirs(port)
      const seen: Array<unknown> = []
      client.onProgress(new rpc.ProgressType<number>(), "token 7", (value) => void seen.push(value))
      client.listen()
      seen.push(yield* Effect.promise(() => client.sendRequest("work", { workDoneToken: "token 7" })))
      assert.deepStrictEqual(seen, [1, 2, "done"])
      yield* Effect.promise(() => client.sendNotification("note", { text: "hi" }))
      assert.deepStrictEqual(yield* Deferred.await(noted), { text: "hi" })
    }))

  it.live("is called back by our handler, with a result and with an error", () =>
    Effect.gen(function*() {
      const client = yield* theirs(yield* served(speech))
      client.onRequest("double", (number: number) => number * 2)
      client.onRequest("refuse", () => new rpc.ResponseError(7, "no", ["why"]))
      client.listen()
      const call = (method: string) => client.sendRequest("callback", { method, params: [21] })
      assert.strictEqual(yield* Effect.promise(() => call("double")), 42)
      const refused = yield* errorOf(call("refuse"))
      assert.deepStrictEqual({ code: refused.code, data: refused.data }, { code: 7, data: ["why"] })
    }))
})

describe("vscode-jsonrpc as the server of our client", () => {
  /** Their server, and our peer connected to it. */
  const pair = (prepare: (server: rpc.MessageConnection) => void, handlers: Parameters<typeof peer>[2] = {}) =>
    Effect.gen(function*() {
      const port = yield* accepting((socket) => {
        const server = rpc.createMessageConnection(
          new rpc.SocketMessageReader(socket),
          new rpc.SocketMessageWriter(socket)
        )
        prepare(server)
        server.listen()
      })
      return yield* peer(port, speech, handlers)
    })

  it.live("answers our calls by position and by name, many at once", () =>
    Effect.gen(function*() {
      const client = yield* pair((server) => {
        server.onRequest("add", (a: number, b: number) => a + b)
        server.onRequest("greet", ({ name }: { readonly name: string }) => `hello, ${name}`)
      })
      const sums = yield* Effect.forEach(
        Array.from({ length: 200 }, (_, index) => index),
        (index) => client.request("add", [index, 1]),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(sums, Array.from({ length: 200 }, (_, index) => index + 1))
      assert.strictEqual(yield* client.request("greet", { name: "Ada" }), "hello, Ada")
    }))

  it.live("fails our call with its error's code, message and data, and an unknown method with -32601", () =>
    Effect.gen(function*() {
      const client = yield* pair((server) =>
        server.onRequest("fail", () => new rpc.ResponseError(1234, "no money", { balance: 5 }))
      )
      const failed = yield* Effect.flip(client.request("fail"))
      assert.deepInclude(failed, { _tag: "RemoteError", code: 1234, text: "no money", data: { balance: 5 } })
      assert.deepInclude(yield* Effect.flip(client.request("nope")), { _tag: "RemoteError", code: -32601 })
    }))

  it.live("sees its token cancelled when our call is interrupted, and when it times out", () =>
    Effect.gen(function*() {
      const cancelled: Array<string> = []
      const waiting = yield* Deferred.make<void>()
      const both = yield* Deferred.make<void>()
      const client = yield* pair((server) =>
        server.onRequest("wait", (name: string, token: rpc.CancellationToken) => {
          Deferred.doneUnsafe(waiting, Effect.void)
          return new Promise((resolve) =>
            token.onCancellationRequested(() => {
              if (cancelled.push(name) === 2) Deferred.doneUnsafe(both, Effect.void)
              resolve(null)
            })
          )
        })
      )
      const call = yield* Effect.forkChild(client.request("wait", ["interrupted"]), { startImmediately: true })
      yield* Deferred.await(waiting)
      yield* Fiber.interrupt(call)
      const late = yield* Effect.flip(client.request("wait", ["timed out"], { timeout: 50 }))
      assert.strictEqual(late._tag, "RequestTimeout")
      yield* Deferred.await(both)
      assert.deepStrictEqual(cancelled, ["interrupted", "timed out"])
    }))

  it.live("reports progress to our call, and calls and notifies us", () =>
    Effect.gen(function*() {
      const noted = yield* Deferred.make<unknown>()
      const client = yield* pair((server) =>
        server.onRequest("work", async ({ workDoneToken }: { readonly workDoneToken: number }) => {
          const type = new rpc.ProgressType<number>()
          await server.sendProgress(type, workDoneToken, 50)
          await server.sendProgress(type, workDoneToken, 100)
          await server.sendNotification("note", "half way")
          return server.sendRequest("ask", "why").catch((error: rpc.ResponseError<unknown>) => error.data)
        }), {
        note: ({ params }) =>
          Deferred.succeed(noted, params),
        ask: () => Effect.fail(ErrorResponse.make(9, "because", { deep: [1] }))
      })
      const seen: Array<unknown> = []
      const result = yield* client.request("work", {}, {
        onProgress: (params) =>
          void seen.push(Object(params).value)
      })
      assert.deepStrictEqual(seen, [50, 100])
      assert.deepStrictEqual(result, { deep: [1] })
      assert.deepStrictEqual(yield* Deferred.await(noted), ["half way"])
    }))

  it.live("is driven as a child process over its stdio", () =>
    Effect.gen(function*() {
      const module = createRequire(import.meta.url).resolve("vscode-jsonrpc/node")
      const script = `
        const rpc = require(${JSON.stringify(module)})
        const { stdin, stdout } = process
        const server = rpc.createMessageConnection(new rpc.StreamMessageReader(stdin), new rpc.StreamMessageWriter(stdout))
        server.onRequest("length", (text) => text.length)
        server.onClose(() => process.exit())
        server.listen()`
      const transport = yield* NodeChildProcess.makeTransport({
        command: process.execPath,
        args: ["-e", script],
        framing: Framing.contentLength
      })
      const client = yield* Peer.make(transport, { dialect: Dialect.lsp })
      assert.strictEqual(yield* client.request("length", ["é".repeat(100_000)]), 100_000)
    }))
})
