import { assert, it, layer } from "@effect/vitest"
import { Context, Effect, Layer, Queue } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as rpc from "vscode-jsonrpc/node"
import type { WorkDone } from "../../src/lsp/WorkDone.ts"

const program = new URL("../../src/lsp/server.ts", import.meta.url).pathname

/** The program as an editor starts it. It is ended with the Scope. */
const spawned = Effect.gen(function*() {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(process.execPath, [program], { stdio: ["pipe", "pipe", "inherit"] })),
    (child) => {
      if (child.exitCode !== null || child.signalCode !== null) return Effect.void
      const closed = once(child, "close")
      child.kill("SIGKILL")
      return Effect.promise(() => closed)
    }
  )
  const closed = new Promise<number | null>((resolve) => child.on("close", resolve))
  return { child, exit: Effect.promise(() => closed) }
})

const initialize = { processId: process.pid, rootUri: null, capabilities: {} }

/** The program, and the connection of `vscode-jsonrpc` to its stdio after the handshake. */
const started = Effect.gen(function*() {
  const { child, exit } = yield* spawned
  const connection = rpc.createMessageConnection(
    new rpc.StreamMessageReader(child.stdout),
    new rpc.StreamMessageWriter(child.stdin)
  )
  yield* Effect.addFinalizer(() => Effect.sync(() => connection.dispose()))
  connection.listen()
  const initialized = yield* Effect.promise(() =>
    connection.sendRequest<{ readonly capabilities: object }>("initialize", initialize)
  )
  yield* Effect.promise(() => connection.sendNotification("initialized", {}))
  return { connection, exit, initialized, stdin: child.stdin }
})

/** The editor of all tests but the last. */
class Editor extends Context.Service<Editor, Effect.Success<typeof started>>()("Editor") {
  static readonly layer = Layer.effect(Editor, started)
}

const send = (method: string, params: object) =>
  Editor.use(({ connection }) => Effect.promise(() => connection.sendNotification(method, params)))

const ask = (method: string, params: object) =>
  Editor.use(({ connection }) => Effect.promise(() => connection.sendRequest<unknown>(method, params)))

/** The error object that refuses a request. */
const refused = (method: string, params: object) =>
  Editor.use(({ connection }) =>
    Effect.promise(() =>
      connection.sendRequest(method, params).then(
        (result) => assert.fail(`it gave ${JSON.stringify(result)}`),
        ({ code, data, message }: rpc.ResponseError<unknown>) => ({ code, data, message })
      )
    )
  )

/** Opens a document for one test. */
const open = (uri: string, text: string) =>
  Effect.acquireRelease(
    send("textDocument/didOpen", { textDocument: { uri, languageId: "glossary", version: 1, text } }),
    () => send("textDocument/didClose", { textDocument: { uri } })
  )

/** Serves a method of the editor for one test. The token is cancelled when the server is not interested any more. */
const serve = <P>(method: string, handler: (params: P, token: rpc.CancellationToken) => unknown) =>
  Effect.acquireRelease(
    Editor.useSync(({ connection }) => connection.onRequest(method, handler)),
    (served) => Effect.sync(() => served.dispose())
  )

/** The notifications of a method during one test. */
const heard = (method: string) =>
  Effect.gen(function*() {
    const { connection } = yield* Editor
    const all = yield* Queue.unbounded<unknown>()
    yield* Effect.acquireRelease(
      Effect.sync(() => connection.onNotification(method, (params) => void Queue.offerUnsafe(all, params))),
      (listening) => Effect.sync(() => listening.dispose())
    )
    return all
  })

/** Progress under a token during one test. */
const follow = (token: number | string, onValue: (value: WorkDone) => void) =>
  Effect.acquireRelease(
    Editor.useSync(({ connection }) => connection.onProgress(new rpc.ProgressType<WorkDone>(), token, onValue)),
    (following) => Effect.sync(() => following.dispose())
  )

/** A command that the editor may cancel, and the code that it is refused with then. */
const cancellable = (params: object) =>
  Editor.useSync(({ connection }) => {
    const source = new rpc.CancellationTokenSource()
    const call = connection.sendRequest("workspace/executeCommand", params, source.token)
    const code = call.then(() => assert.fail("it succeeded"), ({ code }: rpc.ResponseError<unknown>) => code)
    return { cancel: Effect.sync(() => source.cancel()), code: Effect.promise(() => code) }
  })

const uri = "file:///animals.txt"
const other = "file:///pets.txt"
const textDocument = { uri }

const range = (line: number, from: number, to: number) => ({
  start: { line, character: from },
  end: { line, character: to }
})

const animals = "cat: an @animal that says meow\nanimal: a living thing\n"
const pets = "pet: an @animal at home\ntom: a @cat, and an @animal\n"

/** On `animal` in `animals`. */
const onAnimal = { textDocument, position: { line: 0, character: 10 } }

const strict = serve("workspace/configuration", () => [{ strict: true }])

layer(Editor.layer, { excludeTestServices: true })("a language server of ours, and vscode-jsonrpc its editor", (it) => {
  it.effect("answers what an editor asks", () =>
    Effect.gen(function*() {
      yield* strict
      const { initialized } = yield* Editor
      assert.include(initialized.capabilities, { hoverProvider: true, textDocumentSync: 1 })
      yield* open(uri, animals)
      assert.deepStrictEqual(yield* ask("textDocument/hover", onAnimal), {
        contents: { kind: "markdown", value: "**animal**: a living thing" }
      })
      assert.strictEqual(yield* ask("textDocument/hover", { textDocument, position: { line: 2, character: 0 } }), null)
      assert.deepStrictEqual(yield* ask("textDocument/definition", onAnimal), [{ uri, range: range(1, 0, 6) }])
      assert.deepStrictEqual(yield* ask("textDocument/completion", onAnimal), {
        isIncomplete: false,
        items: [
          { label: "cat", detail: "an @animal that says meow" },
          { label: "animal", detail: "a living thing" }
        ]
      })
      const symbol = (name: string, detail: string, range: unknown) => ({
        name,
        detail,
        kind: 14,
        range,
        selectionRange: range
      })
      assert.deepStrictEqual(yield* ask("textDocument/documentSymbol", { textDocument }), [
        symbol("cat", "an @animal that says meow", range(0, 0, 3)),
        symbol("animal", "a living thing", range(1, 0, 6))
      ])
      assert.deepStrictEqual(yield* ask("workspace/symbol", { query: "ani" }), [
        { name: "animal", kind: 14, location: { uri, range: range(1, 0, 6) } }
      ])
      assert.deepStrictEqual(yield* ask("textDocument/prepareRename", onAnimal), range(0, 9, 15))
      assert.deepStrictEqual(yield* ask("textDocument/rename", { ...onAnimal, newName: "being" }), {
        changes: { [uri]: [{ range: range(1, 0, 6), newText: "being" }, { range: range(0, 9, 15), newText: "being" }] }
      })
    }))

  it.effect("refuses with errors that have a code, and data without a tag", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* refused("initialize", initialize), {
        code: 1,
        message: "Cannot initialize",
        data: { retry: false }
      })
      assert.deepStrictEqual(yield* refused("textDocument/rename", { ...onAnimal, newName: "a being" }), {
        code: -32803,
        message: `"a being" is not a word`,
        data: undefined
      })
      assert.deepStrictEqual(yield* refused("textDocument/hover", { textDocument, position: { line: "0" } }), {
        code: rpc.ErrorCodes.InvalidParams,
        message: "Invalid params",
        data: [{ path: ["position", "line"], message: "Expected number" }]
      })
      assert.strictEqual((yield* refused("textDocument/nonsense", {})).code, rpc.ErrorCodes.MethodNotFound)
    }))

  it.effect("pushes diagnostics as the editor is configured, and again when a document changes", () =>
    Effect.gen(function*() {
      const published = yield* heard("textDocument/publishDiagnostics")
      const asked: Array<unknown> = []
      yield* serve("workspace/configuration", ({ items }: { readonly items: unknown }) => {
        asked.push(items)
        return [{ strict: asked.length === 1 }]
      })
      const diagnostic = (severity: number) => ({
        range: range(0, 9, 15),
        severity,
        code: "undefined-word",
        source: "glossary",
        message: "nobody says what animal means"
      })
      yield* open(uri, "cat: an @animal\n")
      assert.deepStrictEqual(yield* Queue.take(published), { uri, version: 1, diagnostics: [diagnostic(1)] })
      yield* open(other, "pet: an @animal\n")
      assert.deepStrictEqual(yield* Queue.take(published), { uri: other, version: 1, diagnostics: [diagnostic(2)] })
      assert.deepStrictEqual(asked, [uri, other].map((scopeUri) => [{ scopeUri, section: "glossary" }]))

      const changed = { textDocument: { uri, version: 2 }, contentChanges: [{ text: animals }] }
      yield* send("textDocument/didChange", changed)
      assert.deepStrictEqual(yield* Queue.take(published), { uri, version: 2, diagnostics: [] })
    }))

  it.effect("streams references as partial results, in order and before the response, or gives all in the response", () =>
    Effect.gen(function*() {
      yield* strict
      yield* open(uri, animals)
      yield* open(other, pets)
      const seen: Array<unknown> = []
      yield* follow("a token", (value) => void seen.push(value))
      const params = { ...onAnimal, context: { includeDeclaration: true } }
      seen.push(yield* ask("textDocument/references", { ...params, partialResultToken: "a token" }))
      const inAnimals = [{ uri, range: range(1, 0, 6) }, { uri, range: range(0, 9, 15) }]
      const inPets = [{ uri: other, range: range(0, 9, 15) }, { uri: other, range: range(1, 21, 27) }]
      assert.deepStrictEqual(seen, [inAnimals, inPets, []])

      assert.deepStrictEqual(yield* ask("textDocument/references", params), [...inAnimals, ...inPets])
      assert.lengthOf(seen, 3)
    }))

  it.effect("reports progress under the editor's token before the result", () =>
    Effect.gen(function*() {
      yield* strict
      const telemetry = yield* heard("telemetry/event")
      yield* open(uri, animals)
      yield* open(other, pets)
      const seen: Array<unknown> = []
      yield* follow(7, (value) => void seen.push(value))
      seen.push(yield* ask("workspace/executeCommand", { command: "glossary.count", workDoneToken: 7 }))
      assert.deepStrictEqual(seen, [
        { kind: "begin", title: "Counting", cancellable: true },
        { kind: "report", message: uri, percentage: 50 },
        { kind: "report", message: other, percentage: 100 },
        { kind: "end", message: "done" },
        4
      ])
      assert.deepStrictEqual(yield* Queue.take(telemetry), { words: 4 })
    }))

  it.effect("reports progress under a token of its own, until the editor cancels that", () =>
    Effect.gen(function*() {
      yield* strict
      const { connection } = yield* Editor
      const created = yield* Queue.unbounded<string>()
      const told = yield* Queue.unbounded<unknown>()
      yield* serve("window/workDoneProgress/create", ({ token }: { readonly token: string }) => {
        // It is used as soon as we have agreed.
        connection.onProgress(new rpc.ProgressType(), token, (value) => void Queue.offerUnsafe(told, value))
        Queue.offerUnsafe(created, token)
        return null
      })
      yield* open(uri, animals)
      const indexing = connection.sendRequest("workspace/executeCommand", { command: "glossary.index" })
      const token = yield* Queue.take(created)
      assert.deepStrictEqual(yield* Queue.takeN(told, 2), [
        { kind: "begin", title: "Indexing", cancellable: true },
        { kind: "report", message: uri, percentage: 100 }
      ])
      yield* send("window/workDoneProgress/cancel", { token })
      assert.deepStrictEqual(yield* Queue.take(told), { kind: "end", message: "stopped" })
      assert.strictEqual(yield* Effect.promise(() => indexing), "cancelled")
    }))

  it.effect("asks its editor while the editor waits for it, and hears of the editor's progress", () =>
    Effect.gen(function*() {
      yield* strict
      const { connection } = yield* Editor
      const edits: Array<unknown> = []
      yield* serve(
        "window/showMessageRequest",
        ({ actions }: { readonly actions: ReadonlyArray<unknown> }) => actions[1]
      )
      type Edit = { readonly edit: unknown; readonly workDoneToken: number }
      yield* serve("workspace/applyEdit", async ({ edit, workDoneToken }: Edit) => {
        edits.push(edit)
        const type = new rpc.ProgressType<WorkDone>()
        await connection.sendProgress(type, workDoneToken, { kind: "begin", title: "Editing" })
        await connection.sendProgress(type, workDoneToken, { kind: "report", percentage: 50 })
        await connection.sendProgress(type, workDoneToken, { kind: "end" })
        return { applied: true }
      })
      yield* open(uri, "cat: an @animal\n")
      const answer = yield* ask("workspace/executeCommand", { command: "glossary.define", arguments: [uri, "animal"] })
      assert.deepStrictEqual(answer, { applied: true, heard: ["begin Editing", "report 50 %", "end"] })
      const change = { range: range(0, 0, 0), newText: "animal: an idea\n" }
      assert.deepStrictEqual(edits, [{ changes: { [uri]: [change] } }])
    }))

  it.effect("interrupts what the editor's token cancels, and answers -32800", () =>
    Effect.gen(function*() {
      const log = yield* heard("window/logMessage")
      const kinds = yield* Queue.unbounded<string>()
      yield* follow("study", ({ kind }) => void Queue.offerUnsafe(kinds, kind))
      const study = yield* cancellable({ command: "glossary.study", workDoneToken: "study" })
      assert.strictEqual(yield* Queue.take(kinds), "begin")
      yield* study.cancel
      assert.strictEqual(yield* study.code, -32800)
      // Both were sent by finalizers of the handler, before the response.
      assert.deepStrictEqual(yield* Queue.takeAll(kinds), ["end"])
      assert.deepStrictEqual(yield* Queue.takeAll(log), [{ type: 3, message: "the study was given up" }])
    }))

  /** A question of the server that is never answered: when it is asked, and when it is taken back. */
  const unanswered = Effect.gen(function*() {
    const asked = yield* Queue.unbounded<string>()
    const takenBack = yield* Queue.unbounded<string>()
    yield* serve("window/showMessageRequest", ({ message }: { readonly message: string }, token) => {
      Queue.offerUnsafe(asked, message)
      return new Promise(() => token.onCancellationRequested(() => void Queue.offerUnsafe(takenBack, message)))
    })
    return { asked: Queue.take(asked), takenBack: Queue.take(takenBack) }
  })

  const define = { command: "glossary.define", arguments: [uri, "animal"] }

  it.effect("takes back its question when the call that needs it is cancelled", () =>
    Effect.gen(function*() {
      yield* strict
      const question = yield* unanswered
      yield* open(uri, "cat: an @animal\n")
      const defining = yield* cancellable(define)
      assert.strictEqual(yield* question.asked, "What does animal mean?")
      yield* defining.cancel
      assert.strictEqual(yield* question.takenBack, "What does animal mean?")
      assert.strictEqual(yield* defining.code, -32800)
    }))

  it.effect("takes back its question when it needs no answer any more, and does not wait for one", () =>
    Effect.gen(function*() {
      yield* strict
      const { connection } = yield* Editor
      const question = yield* unanswered
      yield* open(uri, "cat: an @animal\n")
      const defining = connection.sendRequest("workspace/executeCommand", define)
      assert.strictEqual(yield* question.asked, "What does animal mean?")
      yield* send("textDocument/didChange", { textDocument: { uri, version: 2 }, contentChanges: [{ text: animals }] })
      assert.strictEqual(yield* question.takenBack, "What does animal mean?")
      assert.strictEqual(yield* Effect.promise(() => defining), null)
    }))
})

it.live("a language server of ours exits with 0 after a shutdown, and with 1 without", () =>
  Effect.gen(function*() {
    const after = (end: (server: Effect.Success<typeof started>) => Promise<unknown>) =>
      Effect.gen(function*() {
        const server = yield* started
        yield* Effect.promise(() => end(server))
        return yield* server.exit
      })
    const codes = yield* Effect.all([
      after(async ({ connection }) => {
        assert.strictEqual(await connection.sendRequest("shutdown"), null)
        await connection.sendNotification("exit")
      }),
      after(({ connection }) => connection.sendNotification("exit")),
      after(async ({ stdin }) => stdin.end())
    ], { concurrency: "unbounded" })
    assert.deepStrictEqual(codes, [0, 1, 1])
  }))
