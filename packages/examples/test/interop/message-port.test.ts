import { assert, describe, it } from "@effect/vitest"
import * as Specimen from "@parley/conformance/Specimen"
import { Peer, Router } from "@parley/peer"
import { Dialect } from "@parley/protocol"
import * as MessagePortTransport from "@parley/transport/MessagePortTransport"
import { Deferred, Effect, Fiber } from "effect"
import { createRequire } from "node:module"
import { join } from "node:path"
import type * as rpc from "vscode-jsonrpc/browser"

const require = createRequire(import.meta.url)

// Its exports know the condition "browser" alone.
const { BrowserMessageReader, BrowserMessageWriter, CancellationTokenSource, createMessageConnection }: typeof rpc =
  require(join(require.resolve("vscode-jsonrpc"), "../../browser/main.js"))

/** Their connection and a peer of ours, over one channel. */
const connected = (handlers: Router.Handlers = {}) =>
  Effect.gen(function*() {
    const { port1, port2 } = new MessageChannel()
    const theirs = createMessageConnection(new BrowserMessageReader(port1), new BrowserMessageWriter(port1))
    yield* Effect.addFinalizer(() => Effect.sync(() => theirs.dispose()))
    const transport = yield* MessagePortTransport.make(port2, { wire: "object" })
    const router = yield* Router.make()
    yield* Effect.orDie(router.addAll({ ...Specimen.handlers, ...handlers }))
    return { theirs, ours: yield* Peer.make(transport, { dialect: Dialect.lsp, router }) }
  })

/** The error that a call of theirs rejects with. */
const codeOf = (call: Promise<unknown>): Effect.Effect<number> =>
  Effect.promise(() => call.then(() => assert.fail("it succeeded"), (error: rpc.ResponseError<unknown>) => error.code))

describe("vscode-jsonrpc in a browser's way, over a message port", () => {
  it.live("calls us and gets results and errors", () =>
    Effect.gen(function*() {
      const { theirs } = yield* connected()
      theirs.listen()
      assert.strictEqual(yield* Effect.promise(() => theirs.sendRequest("subtract", 42, 23)), 19)
      assert.strictEqual(
        yield* Effect.promise(() => theirs.sendRequest("subtract", { minuend: 42, subtrahend: 23 })),
        19
      )
      assert.strictEqual(yield* Effect.promise(() => theirs.sendRequest("echo")), null)
      assert.strictEqual(yield* codeOf(theirs.sendRequest("nope")), -32601)
    }))

  it.live("is called by us, and tells us what happens", () =>
    Effect.gen(function*() {
      const noted = yield* Deferred.make<unknown>()
      const { ours, theirs } = yield* connected({ note: ({ params }) => Deferred.succeed(noted, params) })
      theirs.onRequest("add", (left: number, right: number) => left + right)
      theirs.listen()
      assert.strictEqual(yield* ours.request("add", [1, 2]), 3)
      yield* Effect.promise(() => theirs.sendNotification("note", { text: "é" }))
      assert.deepStrictEqual(yield* Deferred.await(noted), { text: "é" })
    }))

  it.live("cancels a call with its token, and our handler is interrupted", () =>
    Effect.gen(function*() {
      const started = yield* Deferred.make<void>()
      const interrupted = yield* Deferred.make<void>()
      const { theirs } = yield* connected({
        wait: () =>
          Effect.andThen(Deferred.succeed(started, undefined), Effect.never).pipe(
            Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
          )
      })
      theirs.listen()
      const source = new CancellationTokenSource()
      const call = theirs.sendRequest("wait", {}, source.token)
      yield* Deferred.await(started)
      yield* Effect.promise(() => Promise.resolve(source.cancel()))
      assert.strictEqual(yield* codeOf(call), -32800)
      yield* Deferred.await(interrupted)
    }))

  it.live("hears that we no longer wait for it", () =>
    Effect.gen(function*() {
      const started = yield* Deferred.make<void>()
      const cancelled = yield* Deferred.make<void>()
      const { ours, theirs } = yield* connected()
      theirs.onRequest("wait", (token: rpc.CancellationToken) =>
        new Promise((resolve) => {
          token.onCancellationRequested(() => {
            resolve(null)
            Deferred.doneUnsafe(cancelled, Effect.void)
          })
          Deferred.doneUnsafe(started, Effect.void)
        }))
      theirs.listen()
      const call = yield* Effect.forkChild(ours.request("wait"), { startImmediately: true })
      yield* Deferred.await(started)
      yield* Fiber.interrupt(call)
      yield* Deferred.await(cancelled)
    }))
})
