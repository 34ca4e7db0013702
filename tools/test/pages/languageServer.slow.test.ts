/** The server of docs/how-to/write-a-language-server.md, driven by the client of Visual Studio Code. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as rpc from "vscode-jsonrpc/node"
import * as Page from "./Page.ts"

const code = Page.block("docs/how-to/write-a-language-server.md", "ts", "TodoServer")
const program = Page.save(Page.folder("language-server"), "todo.ts", code)

const uri = "file:///plan.txt"
const text = "TODO: buy milk\nnothing\n  TODO: call Ada\n"

/** An editor with one text open: its connection to the server, and what the server has told it. */
const edited = Effect.gen(function*() {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(process.execPath, [program], { stdio: ["pipe", "pipe", "inherit"] })),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  const exit = once(child, "exit")
  const connection = rpc.createMessageConnection(
    new rpc.StreamMessageReader(child.stdout),
    new rpc.StreamMessageWriter(child.stdin)
  )
  yield* Effect.addFinalizer(() => Effect.sync(() => connection.dispose()))
  const published = new Promise<unknown>((resolve) =>
    connection.onNotification("textDocument/publishDiagnostics", resolve)
  )
  const shown = new Promise<unknown>((resolve) => connection.onNotification("window/showMessage", resolve))
  connection.listen()
  const ask = (method: string, params: object, token = rpc.CancellationToken.None) =>
    Effect.promise(() =>
      connection.sendRequest<unknown>(method, params, token).catch(({ code }: rpc.ResponseError<void>) => code)
    )
  const tell = (method: string, params: object = {}) =>
    Effect.promise(() => connection.sendNotification(method, params))
  yield* ask("initialize", { processId: process.pid, rootUri: null, capabilities: {} })
  yield* tell("initialized")
  yield* tell("textDocument/didOpen", { textDocument: { uri, languageId: "text", version: 1, text } })
  return { ask, child, connection, exit: Effect.promise(() => exit), published, shown, tell }
})

const range = (line: number, character: number, end: number) => ({
  start: { line, character },
  end: { line, character: end }
})
const symbols = [
  { name: "buy milk", kind: 24, location: { uri, range: range(0, 0, 14) } },
  { name: "call Ada", kind: 24, location: { uri, range: range(2, 2, 16) } }
]

describe("the language server of the page", () => {
  it.live("marks, hovers and lists, by partial results where the editor wants them, and ends in order", () =>
    Effect.gen(function*() {
      const { ask, connection, exit, published, tell } = yield* edited
      assert.deepStrictEqual(yield* Effect.promise(() => published), {
        uri,
        diagnostics: symbols.map(({ location, name }) => ({ range: location.range, severity: 3, message: name }))
      })

      const at = (line: number) => ({ textDocument: { uri }, position: { line, character: 0 } })
      assert.deepStrictEqual(yield* ask("textDocument/hover", at(2)), { contents: "To do: call Ada" })
      assert.isNull(yield* ask("textDocument/hover", at(1)))

      assert.deepStrictEqual(yield* ask("workspace/symbol", { query: "" }), symbols)
      const parts: Array<unknown> = []
      connection.onProgress(new rpc.ProgressType<Array<unknown>>(), "p", (items) => void parts.push(...items))
      const rest = yield* ask("workspace/symbol", { query: "", partialResultToken: "p" })
      assert.deepStrictEqual([parts, rest], [symbols, []])

      yield* tell("textDocument/didChange", { textDocument: { uri, version: 2 }, contentChanges: [{ text: "done" }] })
      assert.isNull(yield* ask("textDocument/hover", at(2)))
      assert.isNull(yield* ask("shutdown", {}))
      yield* tell("exit")
      assert.deepStrictEqual(yield* exit, [0, null])
    }))

  it.live("reminds with progress, and not when it is cancelled", () =>
    Effect.gen(function*() {
      const { ask, connection, shown } = yield* edited
      const kinds: Array<string> = []
      const cancelling = new rpc.CancellationTokenSource()
      connection.onProgress(new rpc.ProgressType<{ readonly kind: string }>(), "w", ({ kind }) => void kinds.push(kind))
      connection.onProgress(new rpc.ProgressType<{ readonly kind: string }>(), "c", () => cancelling.cancel())
      const remind = { command: "todo.remind" }
      assert.strictEqual(
        yield* ask(
          "workspace/executeCommand",
          { ...remind, arguments: [3_600], workDoneToken: "c" },
          cancelling.token
        ),
        -32800
      )
      assert.isNull(yield* ask("workspace/executeCommand", { ...remind, arguments: [1], workDoneToken: "w" }))
      assert.deepStrictEqual(kinds, ["begin", "report", "end"])
      assert.deepStrictEqual(yield* Effect.promise(() => shown), { type: 3, message: "2 to do" })
    }))

  it.live("ends with 1 when the editor leaves without a word", () =>
    Effect.gen(function*() {
      const { child, exit } = yield* edited
      child.stdin.end()
      assert.deepStrictEqual(yield* exit, [1, null])
    }))
})
