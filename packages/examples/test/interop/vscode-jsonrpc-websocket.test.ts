/** `vscode-jsonrpc` over a WebSocket, glued as browsers' editors do it: a message is one text, without a header. */
import { assert, describe, it } from "@effect/vitest"
import { ErrorResponse } from "@parley/peer"
import { Dialect } from "@parley/protocol"
import { Deferred, Effect, Fiber } from "effect"
import * as rpc from "vscode-jsonrpc/node"
import { theirs } from "./vscodeSocket.ts"
import { acceptingSockets, connectedSocket, servedAtSocket, socketPeer } from "./webSides.ts"

describe("vscode-jsonrpc as the client of our WebSocket server", () => {
  it.live("gets results and our errors, and our handler calls it back", () =>
    Effect.gen(function*() {
      const client = theirs(
        yield* connectedSocket(yield* servedAtSocket({}, Dialect.lsp)),
        (client) => client.onRequest("double", (number: number) => number * 2)
      )
      assert.strictEqual(yield* Effect.promise(() => client.sendRequest("subtract", 42, 23)), 19)
      const failed = yield* Effect.promise(() =>
        client.sendRequest("fail").then(() => assert.fail("it succeeded"), (error: rpc.ResponseError<unknown>) => error)
      )
      assert.deepStrictEqual({ code: failed.code, data: failed.data }, { code: 1234, data: { detail: "boom" } })
      const call = { method: "double", params: [21] }
      assert.strictEqual(yield* Effect.promise(() => client.sendRequest("callback", call)), 42)
    }))

  it.live("cancels a call with its token, and our handler is interrupted", () =>
    Effect.gen(function*() {
      const started = yield* Deferred.make<void>()
      const interrupted = yield* Deferred.make<void>()
      const url = yield* servedAtSocket({
        wait: () =>
          Effect.andThen(Deferred.succeed(started, undefined), Effect.never).pipe(
            Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
          )
      }, Dialect.lsp)
      const client = theirs(yield* connectedSocket(url))
      const source = new rpc.CancellationTokenSource()
      const code = client.sendRequest("wait", source.token).then(
        () => assert.fail("it succeeded"),
        (error: rpc.ResponseError<unknown>) => error.code
      )
      yield* Deferred.await(started)
      source.cancel()
      yield* Deferred.await(interrupted)
      assert.strictEqual(yield* Effect.promise(() => code), -32800)
    }))
})

describe("vscode-jsonrpc as the WebSocket server of our client", () => {
  const pair = (prepare: (server: rpc.MessageConnection) => void, handlers: Parameters<typeof socketPeer>[1] = {}) =>
    Effect.flatMap(
      acceptingSockets((socket) => void theirs(socket, prepare)),
      (url) => socketPeer(url, handlers, { dialect: Dialect.lsp })
    )

  it.live("reports progress to our call, in order and before its result, and calls us", () =>
    Effect.gen(function*() {
      const client = yield* pair((server) =>
        server.onRequest("work", async ({ workDoneToken }: { readonly workDoneToken: number }) => {
          const type = new rpc.ProgressType<number>()
          for (const done of [25, 50, 100]) await server.sendProgress(type, workDoneToken, done)
          return server.sendRequest("ask").catch((error: rpc.ResponseError<unknown>) => error.data)
        }), {
        ask: () =>
          Effect.fail(ErrorResponse.make(9, "because", { deep: [1] }))
      })
      const seen: Array<unknown> = []
      const onProgress = (params: unknown) =>
        void seen.push(Object(params).value)
      assert.deepStrictEqual(yield* client.request("work", {}, { onProgress }), { deep: [1] })
      assert.deepStrictEqual(seen, [25, 50, 100])
    }))

  it.live("sees its token cancelled when our call is interrupted, and the connection goes on", () =>
    Effect.gen(function*() {
      const waiting = yield* Deferred.make<void>()
      const cancelled = yield* Deferred.make<void>()
      const client = yield* pair((server) => {
        server.onRequest("length", (text: string) => text.length)
        server.onRequest("wait", (token: rpc.CancellationToken) => {
          Deferred.doneUnsafe(waiting, Effect.void)
          return new Promise((resolve) =>
            token.onCancellationRequested(() => {
              Deferred.doneUnsafe(cancelled, Effect.void)
              resolve(null)
            })
          )
        })
      })
      const call = yield* Effect.forkChild(client.request("wait"), { startImmediately: true })
      yield* Deferred.await(waiting)
      yield* Fiber.interrupt(call)
      yield* Deferred.await(cancelled)
      assert.strictEqual(yield* client.request("length", ["é".repeat(100_000)]), 100_000)
    }))
})
