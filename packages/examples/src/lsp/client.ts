/**
 * An editor's side: drives `typescript-language-server` over its stdio through
 * the typed client, and serves what the server asks of an editor.
 */
import { Contract } from "@parley/contract"
import { NodeChildProcess } from "@parley/node"
import { Peer } from "@parley/peer"
import { Deferred, Effect, Fiber, Layer, Option, Queue, Stream } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { tsserver, typescriptLanguageServer } from "../Programs.ts"
import * as Features from "./Features.ts"
import { LanguageClient, Lsp } from "./Lsp.ts"
import type { Diagnostic, Location, Range } from "./Structures.ts"
import * as Wire from "./Wire.ts"
import * as WorkDone from "./WorkDone.ts"

const files = {
  "tsconfig.json": JSON.stringify({ compilerOptions: { strict: true, noEmit: true, lib: ["es5"], types: [] } }),
  "helper.ts": "export const unused = 1\nexport const same = (n: number): number => n\n",
  "answer.ts": `import { unused, same } from "./helper"

/** The answer. */
export const answer: number = same(42)
export const twice = answer + answer
export const wrong: string = answer
`
}

const project = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(join(tmpdir(), "parley-lsp-"))
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    return folder
  }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
)

/** A position, counted as editors do. */
const place = ({ range: { start }, uri }: Location) =>
  `${uri.split("/").at(-1)}:${start.line + 1}:${start.character + 1}`

/** Markdown in one line. */
const lineOf = (markdown: string) => markdown.replaceAll(/```\w*/g, "").trim().split(/\n+/).join(" · ")

/** The text with another in place of some. */
const spliced = (text: string, { end, start }: Range, replacement: string) => {
  const lines = text.split("\n")
  const offset = ({ character, line }: Range["start"]) =>
    lines.slice(0, line).join("\n").length + (line && 1) + character
  return text.slice(0, offset(start)) + replacement + text.slice(offset(end))
}

/** The methods of an editor, and the state that a server has reported. */
const makeEditor = Effect.gen(function*() {
  const diagnostics = yield* Queue.unbounded<ReadonlyArray<Diagnostic>>()
  const loading = yield* Queue.unbounded<WorkDone.WorkDone>()
  const created = yield* Deferred.make<void>()
  const asked = new Set<string>()
  let text = files["answer.ts"]

  const handlers = LanguageClient.of({
    "workspace/configuration": ({ items }, { method }) => Effect.sync(() => (asked.add(method), items.map(() => null))),
    "workspace/applyEdit": ({ edit }, { method }) =>
      Effect.sync(() => {
        asked.add(method)
        // From the end, so that what comes first stays where it is.
        const edits = Object.values(edit.changes ?? {}).flat().toReversed()
        for (const { newText, range } of edits) text = spliced(text, range, newText)
        return { applied: true }
      }),
    "window/workDoneProgress/create": (_, { method }) =>
      Effect.andThen(Effect.sync(() => asked.add(method)), Deferred.succeed(created, undefined)),
    "window/showMessageRequest": () => Effect.succeed(null),
    "client/registerCapability": (_, { method }) => Effect.sync(() => void asked.add(method)),
    "client/unregisterCapability": () => Effect.void,
    "textDocument/publishDiagnostics": (published) =>
      published.uri.endsWith("/answer.ts") ? Queue.offer(diagnostics, published.diagnostics) : Effect.void,
    "window/logMessage": () => Effect.void,
    "window/showMessage": () => Effect.void,
    "telemetry/event": () => Effect.void,
    "$/logTrace": () => Effect.void,
    "$/progress": (params) =>
      Option.match(WorkDone.fromParams(params), {
        onNone: () => Effect.void,
        onSome: (value) => Queue.offer(loading, value)
      })
  })

  return {
    handlers,
    asked,
    /** The server has made a token for work of its own. */
    created: Deferred.await(created),
    /** The progress of that work. */
    loading: Stream.takeUntil(Stream.fromQueue(loading), ({ kind }) => kind === "end"),
    /** Waits for diagnostics that are as wanted. Servers publish more than once. */
    diagnostics: (wanted: (errors: ReadonlyArray<Diagnostic>) => boolean) =>
      Stream.fromQueue(diagnostics).pipe(
        Stream.map((all) => all.filter(({ severity }) => severity === 1)),
        Stream.filter(wanted),
        Stream.runHead,
        Effect.map(Option.getOrElse(() => []))
      ),
    text: () => text
  }
})

const story = (folder: string, editor: Effect.Success<typeof makeEditor>, wire: Wire.Wire) =>
  Effect.gen(function*() {
    const server = yield* Lsp.server.Client
    const uri = pathToFileURL(join(folder, "answer.ts")).href
    const textDocument = { uri }
    const onAnswer = { textDocument, position: { line: 3, character: 15 } }
    const onSame = { line: 3, character: 32 }

    const { capabilities } = yield* server.initialize({
      processId: process.pid,
      rootUri: pathToFileURL(folder).href,
      capabilities: {
        workspace: {
          applyEdit: true,
          configuration: true,
          didChangeWatchedFiles: { dynamicRegistration: true, relativePatternSupport: true }
        },
        window: { workDoneProgress: true },
        textDocument: { documentSymbol: { hierarchicalDocumentSymbolSupport: true }, publishDiagnostics: {} }
      },
      // One process of TypeScript is enough here, and it downloads nothing.
      initializationOptions: {
        disableAutomaticTypingAcquisition: true,
        tsserver: { path: tsserver, useClientFileWatcher: true, useSyntaxServer: "never" }
      }
    })
    console.log("it can hover:", capabilities["hoverProvider"])
    yield* server.initialized({})
    yield* server["textDocument/didOpen"]({
      textDocument: { uri, languageId: "typescript", version: 1, text: editor.text() }
    })

    // The first questions wait for the project to load. Who loses patience interrupts, and the server hears of it.
    const references = { ...onAnswer, context: { includeDeclaration: true } }
    const hovering = yield* Effect.forkChild(server["textDocument/hover"](onAnswer), { startImmediately: true })
    const searching = yield* Effect.forkChild(Stream.runDrain(server["textDocument/references"](references)), {
      startImmediately: true
    })
    yield* editor.created
    yield* Fiber.interrupt(searching)
    const { id } = yield* wire.next(({ method }) => method === "textDocument/references")
    const cancel = yield* wire.next(({ method }) => method === "$/cancelRequest")
    console.log("cancelled the search:", Object(cancel.params).id === id)
    const late = yield* wire.next(({ direction, method, ...response }) =>
      direction === "received" && method === undefined && response.id === id
    )
    console.log("its late answer, for nobody:", JSON.stringify(late.result))

    yield* Stream.runForEach(editor.loading, (value) =>
      Effect.sync(() => console.log("loading:", WorkDone.describe(value))))
    const hover = yield* Fiber.join(hovering)
    console.log("hover:", hover === null ? "nothing" : lineOf(Features.hoverText(hover)))

    const errors = yield* editor.diagnostics((errors) =>
      errors.length > 0
    )
    for (const { code, message } of errors) console.log("error:", code, message)

    const definition = yield* server["textDocument/definition"]({ textDocument, position: onSame })
    const definitions = [definition ?? []].flat()
    for (const found of definitions) if ("uri" in found) console.log("defined at", place(found))

    yield* Stream.runForEach(
      server["textDocument/references"](references),
      (found) => Effect.sync(() => console.log("used at", place(found)))
    )

    const completions = yield* server["textDocument/completion"]({ textDocument, position: { line: 5, character: 33 } })
    const labels = Features.completionItems(completions).map(({ label }) => label)
    console.log("completions:", ["answer", "same", "twice"].filter((label) => labels.includes(label)).join(", "))

    const symbols = yield* server["textDocument/documentSymbol"]({ textDocument })
    console.log("symbols:", (symbols ?? []).map(({ name }) => name).join(", "))

    const found = yield* Stream.runCollect(server["workspace/symbol"]({ query: "same" }))
    console.log("in the workspace:", found.map(({ location, name }) => `${name} ${place(location)}`).join(", "))

    const renamed = yield* server["textDocument/rename"]({ ...onAnswer, newName: "reply" })
    console.log("a rename edits", Object.values(renamed?.changes ?? {}).flat().length, "places")

    // Members that the contract does not name pass unchanged.
    const keyword = { textDocument, position: { line: 3, character: 2 } }
    yield* server["textDocument/prepareRename"](keyword).pipe(
      Effect.catchTag("RemoteError", ({ code, text }) => Effect.sync(() => console.log("refused:", code, text)))
    )

    // Progress of one call, as a stream beside its result.
    const command = "_typescript.goToSourceDefinition"
    const { progress, result } = yield* Contract.progress((onProgress) =>
      server["workspace/executeCommand"]({ command, arguments: [uri, onSame] }, { onProgress })
    )
    yield* Stream.runForEach(progress, (params) =>
      Effect.sync(() => {
        const value = WorkDone.fromParams(params)
        if (Option.isSome(value)) console.log("progress:", WorkDone.describe(value.value))
      }))
    console.log("and its result:", Array.isArray(yield* result))

    // The server edits our text while our call waits for it.
    yield* server["workspace/executeCommand"]({
      command: "_typescript.organizeImports",
      arguments: [join(folder, "answer.ts")]
    })
    console.log("edited by the server:", editor.text().split("\n")[0])

    const text = editor.text().replace("wrong: string", "right: number")
    yield* server["textDocument/didChange"]({ textDocument: { uri, version: 2 }, contentChanges: [{ text }] })
    yield* editor.diagnostics((errors) => errors.length === 0)
    console.log("no errors any more")

    console.log("the server asked for", [...editor.asked].toSorted().join(", "))
    yield* server["textDocument/didClose"]({ textDocument })
    yield* server.shutdown()
    yield* server.exit()
    console.log("the connection ended:", (yield* (yield* Peer.Peer).disconnected)._tag)
  })

await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
  const folder = yield* project
  const editor = yield* makeEditor
  const wire = yield* Wire.make
  const transport = NodeChildProcess.layerTransport(typescriptLanguageServer)
  yield* story(folder, editor, wire).pipe(
    Effect.provide(Lsp.layerClient(editor.handlers).pipe(Layer.provide(wire.layer), Layer.provide(transport)))
  )
})))
