import { assert, describe, it } from "@effect/vitest"
import { Contract } from "@parley/contract"
import { NodeTcp } from "@parley/node"
import { Framing } from "@parley/protocol"
import { Transport } from "@parley/transport"
import { Context, Deferred, Effect, Fiber, Layer, Queue, type Schema, Stream } from "effect"
import { spawn } from "node:child_process"
import { text } from "node:stream/consumers"
import * as rpc from "vscode-jsonrpc/node"
import { InitializeError, LanguageClient, Lsp } from "../../src/lsp/Lsp.ts"
import { accepting } from "./sides.ts"

/** The output of the story, when all expected messages have arrived. */
const lines = [
  "it can hover: true",
  "cancelled the search: true",
  "its late answer, for nobody: []",
  "loading: begin Initializing JS/TS language features…",
  "loading: end",
  "hover: const answer: number · The answer.",
  "error: 2322 Type 'number' is not assignable to type 'string'.",
  "defined at helper.ts:2:14",
  "used at answer.ts:4:14",
  "used at answer.ts:5:22",
  "used at answer.ts:5:31",
  "used at answer.ts:6:30",
  "completions: answer, same, twice",
  "symbols: answer, twice, wrong",
  "in the workspace: same helper.ts:2:14",
  "a rename edits 4 places",
  "refused: -32603 Request textDocument/prepareRename failed with message: You cannot rename this element.",
  "progress: begin Finding source definitions…",
  "progress: end",
  "and its result: true",
  `edited by the server: import { same } from "./helper"`,
  "no errors any more",
  "the server asked for client/registerCapability, window/workDoneProgress/create, workspace/applyEdit, " +
  "workspace/configuration",
  "the connection ended: Exited"
]

it.live("a typed client drives typescript-language-server, which calls it back", () =>
  Effect.gen(function*() {
    const path = new URL("../../src/lsp/client.ts", import.meta.url).pathname
    const story = yield* Effect.acquireRelease(
      Effect.sync(() => spawn(process.execPath, [path], { stdio: ["ignore", "pipe", "pipe"] })),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    )
    const exit = new Promise((resolve) => story.on("close", resolve))
    const [output, errors] = yield* Effect.promise(() => Promise.all([text(story.stdout), text(story.stderr)]))
    assert.deepStrictEqual(output.split("\n"), [...lines, ""])
    assert.strictEqual(errors, "")
    assert.strictEqual(yield* Effect.promise(() => exit), 0)
  }))

/** The progress that the server reports, by token. */
const makeHandlers = (progress: Queue.Queue<unknown>) =>
  LanguageClient.of({
    "workspace/configuration": ({ items }) => Effect.succeed(items.map(({ section = null }) => section)),
    "workspace/applyEdit": ({ edit }, call) =>
      Object.keys(edit.changes ?? {}).length > 0
        ? Effect.as(Effect.orDie(call.progress({ value: { kind: "report", percentage: 50 } })), { applied: true })
        : Effect.never,
    "window/workDoneProgress/create": () => Effect.void,
    "window/showMessageRequest": () => Effect.onInterrupt(Effect.never, () => Queue.offer(progress, "interrupted")),
    "client/registerCapability": () => Effect.void,
    "client/unregisterCapability": () => Effect.void,
    "textDocument/publishDiagnostics": () => Effect.void,
    "window/logMessage": () => Effect.void,
    "window/showMessage": () => Effect.void,
    "telemetry/event": () => Effect.void,
    "$/logTrace": () => Effect.void,
    "$/progress": (params) => Queue.offer(progress, params)
  })

/** Our typed client of a language server that `vscode-jsonrpc` serves. */
const clientOf = (prepare: (server: rpc.MessageConnection) => void) =>
  Effect.gen(function*() {
    const progress = yield* Queue.unbounded<unknown>()
    const port = yield* accepting((socket) => {
      const server = rpc.createMessageConnection(
        // They write a message in two parts, and the second would wait for the first to be acknowledged.
        new rpc.SocketMessageReader(socket.setNoDelay()),
        new rpc.SocketMessageWriter(socket)
      )
      prepare(server)
      server.listen()
    })
    const transport = yield* NodeTcp.makeTransport({ port, framing: Framing.contentLength })
    const side = Layer.build(Lsp.layerClient(makeHandlers(progress)))
    const context = yield* Effect.provideService(side, Transport.Transport, transport)
    return { client: Context.get(context, Lsp.server.Client), progress: Queue.take(progress) }
  })

const location = (line: number) => ({
  uri: "file:///a.ts",
  range: { start: { line, character: 0 }, end: { line, character: 1 } }
})

const references = {
  textDocument: { uri: "file:///a.ts" },
  position: { line: 0, character: 0 },
  context: { includeDeclaration: true }
}

type Asked = { readonly partialResultToken: string; readonly workDoneToken: number }

/** A handler that ends when its token is cancelled, and who waits for both. */
const cancellable = Effect.gen(function*() {
  const cancelled = yield* Deferred.make<void>()
  const run = (token: rpc.CancellationToken) => {
    return new Promise<null>((resolve) =>
      token.onCancellationRequested(() => {
        Deferred.doneUnsafe(cancelled, Effect.void)
        resolve(null)
      })
    )
  }
  return { cancelled: Deferred.await(cancelled), run }
})

describe("a typed client, and a language server by vscode-jsonrpc", () => {
  const type = new rpc.ProgressType<unknown>()

  it.live("gives partial results in order, and what the response adds", () =>
    Effect.gen(function*() {
      const { client } = yield* clientOf((server) =>
        server.onRequest("textDocument/references", async ({ partialResultToken }: Asked) => {
          await server.sendProgress(type, partialResultToken, [location(1), location(2)])
          await server.sendProgress(type, "another token", [location(99)])
          await server.sendProgress(type, partialResultToken, [])
          await server.sendProgress(type, partialResultToken, [location(3)])
          return [location(4)]
        })
      )
      const found = yield* Stream.runCollect(client["textDocument/references"](references))
      assert.deepStrictEqual(found, [1, 2, 3, 4].map(location))
    }))

  it.live("gives what came before a failure, and then the failure", () =>
    Effect.gen(function*() {
      const { client } = yield* clientOf((server) =>
        server.onRequest("textDocument/references", async ({ partialResultToken }: Asked) => {
          await server.sendProgress(type, partialResultToken, [location(1)])
          throw new rpc.ResponseError(-32801, "content modified")
        })
      )
      const seen: Array<unknown> = []
      const error = yield* Effect.flip(
        Stream.runForEach(client["textDocument/references"](references), (found) => Effect.sync(() => seen.push(found)))
      )
      assert.deepStrictEqual(seen, [location(1)])
      assert.deepInclude(error, { _tag: "RemoteError", code: -32801, text: "content modified" })
    }))

  it.live("cancels a stream that is left, and one whose items do not fit", () =>
    Effect.gen(function*() {
      const [left, broken] = [yield* cancellable, yield* cancellable]
      const { client } = yield* clientOf((server) => {
        server.onRequest("textDocument/references", async ({ partialResultToken }: Asked, token) => {
          await server.sendProgress(type, partialResultToken, [location(1), location(2)])
          return left.run(token)
        })
        server.onRequest("workspace/symbol", async ({ partialResultToken }: Asked, token) => {
          await server.sendProgress(type, partialResultToken, [{ name: "a symbol without a place" }])
          return broken.run(token)
        })
      })
      const first = yield* Stream.runCollect(Stream.take(client["textDocument/references"](references), 1))
      assert.deepStrictEqual(first, [location(1)])
      yield* left.cancelled
      const error = yield* Effect.flip(Stream.runDrain(client["workspace/symbol"]({ query: "" })))
      assert.deepInclude(error, { _tag: "InvalidResult", method: "workspace/symbol" })
      yield* broken.cancelled
    }))

  it.live("interrupts a call, and the server's token is cancelled; progress ends with the call", () =>
    Effect.gen(function*() {
      const work = yield* cancellable
      const reported = { kind: "report", percentage: 50 }
      const { client } = yield* clientOf((server) =>
        server.onRequest("workspace/executeCommand", async ({ workDoneToken }: Asked, token) => {
          await server.sendProgress(type, workDoneToken, reported)
          return work.run(token)
        })
      )
      const seen: Array<Schema.Json> = []
      const told = yield* Deferred.make<void>()
      const following = yield* Effect.scoped(Effect.gen(function*() {
        const { progress } = yield* Contract.progress((onProgress) =>
          client["workspace/executeCommand"]({ command: "work" }, { onProgress })
        )
        const see = (params: Schema.Json) =>
          Effect.andThen(Effect.sync(() => seen.push(params)), Deferred.succeed(told, undefined))
        const following = yield* Effect.forkChild(Stream.runForEach(progress, see))
        yield* Deferred.await(told)
        return following
      }))
      // Closing the Scope has interrupted the call, and that ends its progress.
      yield* Fiber.join(following)
      yield* work.cancelled
      assert.deepStrictEqual(seen.map((params) => Object(params).value), [reported])
    }))

  it.live("serves what the server calls back, with progress, and stops what the server cancels", () =>
    Effect.gen(function*() {
      const { client, progress } = yield* clientOf((server) =>
        server.onRequest("workspace/executeCommand", async () => {
          const seen: Array<unknown> = []
          // Progress of the server's own work, under its own token.
          await server.sendRequest("window/workDoneProgress/create", { token: "mine" })
          await server.sendProgress(type, "mine", "of its own")
          // Progress of the client's work, under the server's token.
          server.onProgress(type, "edit", (value) => void seen.push(value))
          const edit = { changes: { "file:///a.ts": [] } }
          seen.push(await server.sendRequest("workspace/applyEdit", { edit, workDoneToken: "edit" }))
          seen.push(await server.sendRequest("workspace/configuration", { items: [{ section: "a" }, {}] }))
          const source = new rpc.CancellationTokenSource()
          const message = { type: 3, message: "sure?" }
          const question = server.sendRequest("window/showMessageRequest", message, source.token)
          source.cancel()
          seen.push(await question.catch(({ code }: rpc.ResponseError<unknown>) => code))
          return seen
        })
      )
      const seen = yield* client["workspace/executeCommand"]({ command: "work" })
      assert.deepStrictEqual(seen, [{ kind: "report", percentage: 50 }, { applied: true }, ["a", null], -32800])
      assert.deepStrictEqual(yield* progress, { token: "mine", value: "of its own" })
      assert.strictEqual(yield* progress, "interrupted")
    }))

  it.live("fails to initialize with the typed error", () =>
    Effect.gen(function*() {
      const { client } = yield* clientOf((server) =>
        server.onRequest("initialize", () => new rpc.ResponseError(1, "not today", { retry: true }))
      )
      const error = yield* Effect.flip(client.initialize({ processId: null, rootUri: null, capabilities: {} }))
      assert.instanceOf(error, InitializeError)
      assert.strictEqual(error.retry, true)
    }))
})
