/**
 * A language server for glossaries: what an editor asks of it, and what it asks
 * of an editor. It knows no transport.
 */
import type { Handler } from "@parley/peer"
import { Deferred, Effect, Schema, Stream } from "effect"
import * as Commands from "./Commands.ts"
import * as Documents from "./Documents.ts"
import * as Glossary from "./Glossary.ts"
import { InitializeError, LanguageClient, LanguageServer } from "./Lsp.ts"
import type { Position } from "./Structures.ts"

const decodeConfiguration = Schema.decodeUnknownEffect(Schema.Struct({ strict: Schema.Boolean }))

/** The word under a cursor. */
interface Cursor {
  readonly textDocument: { readonly uri: string }
  readonly position: Position
}

export const make = Effect.gen(function*() {
  const documents = yield* Documents.make
  const commands = Commands.make(documents)
  const exited = yield* Deferred.make<number>()
  let phase: "new" | "running" | "shut down" = "new"

  const mentioned = ({ position, textDocument: { uri } }: Cursor) =>
    Effect.map(documents.get(uri), (document) => document && Glossary.at(document.glossary, position))

  /** The entries of the word under a cursor. */
  const defined = (cursor: Cursor) =>
    Effect.gen(function*() {
      const mention = yield* mentioned(cursor)
      return mention === undefined ? [] : Glossary.entriesOf(yield* documents.glossaries, mention.word)
    })

  /** How the editor wants a document to be judged. Without an answer, mildly. */
  const severityOf = (scopeUri: string, { peer }: Handler.Call) =>
    LanguageClient.client(peer)["workspace/configuration"]({ items: [{ scopeUri, section: "glossary" }] }).pipe(
      Effect.flatMap(([configuration]) => decodeConfiguration(configuration)),
      Effect.match({ onFailure: () => 2 as const, onSuccess: ({ strict }) => strict ? 1 as const : 2 as const })
    )

  const publish = (uri: string, { peer }: Handler.Call) =>
    Effect.gen(function*() {
      const document = yield* documents.get(uri)
      if (document === undefined) return
      const { glossary, severity, version } = document
      const diagnostics = Glossary.diagnose(yield* documents.glossaries, glossary, severity)
      const editor = LanguageClient.client(peer)
      yield* Effect.ignore(editor["textDocument/publishDiagnostics"]({ uri, version, diagnostics }))
    })

  const handlers = LanguageServer.of({
    initialize: () =>
      Effect.suspend(() => {
        if (phase !== "new") return Effect.fail(new InitializeError({ retry: false }))
        phase = "running"
        return Effect.succeed({
          capabilities: {
            textDocumentSync: 1,
            hoverProvider: true,
            completionProvider: { triggerCharacters: ["@"] },
            definitionProvider: true,
            referencesProvider: { workDoneProgress: false },
            documentSymbolProvider: true,
            renameProvider: { prepareProvider: true },
            workspaceSymbolProvider: true,
            executeCommandProvider: { commands: commands.names, workDoneProgress: true }
          },
          serverInfo: { name: "glossary" }
        })
      }),
    initialized: () => Effect.void,
    shutdown: () => Effect.sync(() => void (phase = "shut down")),
    // 0 in order, 1 otherwise.
    exit: () => Deferred.succeed(exited, phase === "shut down" ? 0 : 1),
    "$/setTrace": () => Effect.void,
    "window/workDoneProgress/cancel": ({ token }) => commands.cancel(token),
    "workspace/didChangeConfiguration": () => Effect.void,

    "textDocument/didOpen": ({ textDocument: { text, uri, version } }, call) =>
      Effect.gen(function*() {
        const glossary = Glossary.parse(uri, text)
        yield* documents.set(uri, { version, glossary, severity: 2 })
        // Later messages wait for a notification, but not while it waits for the editor.
        const severity = yield* severityOf(uri, call)
        const document = yield* documents.get(uri)
        if (document === undefined) return
        yield* documents.set(uri, { ...document, severity })
        yield* publish(uri, call)
      }),
    "textDocument/didChange": ({ contentChanges, textDocument: { uri, version } }, call) =>
      Effect.gen(function*() {
        const document = yield* documents.get(uri)
        const text = contentChanges.at(-1)?.text
        if (document === undefined || text === undefined) return
        yield* documents.set(uri, { ...document, version, glossary: Glossary.parse(uri, text) })
        yield* publish(uri, call)
      }),
    "textDocument/didClose": ({ textDocument: { uri } }) => documents.remove(uri),

    "textDocument/hover": (cursor) =>
      Effect.map(
        defined(cursor),
        ([entry]) =>
          entry === undefined ? null : { contents: { kind: "markdown", value: `**${entry.word}**: ${entry.meaning}` } }
      ),
    "textDocument/completion": () =>
      Effect.map(documents.glossaries, (glossaries) => ({
        isIncomplete: false,
        items: glossaries.flatMap(({ entries }) =>
          entries.map(({ meaning, word }) => ({ label: word, detail: meaning }))
        )
      })),
    "textDocument/definition": (cursor) =>
      Effect.map(defined(cursor), (entries) => entries.map(({ location }) => location)),
    // Each document's mentions are one partial result.
    "textDocument/references": ({ context, ...cursor }) =>
      Effect.gen(function*() {
        const mention = yield* mentioned(cursor)
        if (mention === undefined) return Stream.empty
        return Stream.fromIterable(yield* documents.glossaries).pipe(
          Stream.flatMap((glossary) =>
            Stream.fromIterable(Glossary.mentionsIn(glossary, mention.word, context.includeDeclaration))
          ),
          Stream.map(({ location }) => location)
        )
      }),
    "textDocument/documentSymbol": ({ textDocument: { uri } }) =>
      Effect.map(
        documents.get(uri),
        (document) =>
          (document?.glossary.entries ?? []).map(({ location: { range }, meaning, word }) => ({
            name: word,
            detail: meaning,
            kind: 14,
            range,
            selectionRange: range
          }))
      ),
    "textDocument/prepareRename": (cursor) =>
      Effect.map(mentioned(cursor), (mention) => mention === undefined ? null : mention.location.range),
    "textDocument/rename": ({ newName, ...cursor }) =>
      Effect.gen(function*() {
        if (!Glossary.isWord(newName)) return yield* Commands.requestFailed(`"${newName}" is not a word`)
        const mention = yield* mentioned(cursor)
        if (mention === undefined) return null
        const glossaries = yield* documents.glossaries
        const changes = glossaries.map((glossary) => [
          glossary.uri,
          Glossary.mentionsIn(glossary, mention.word, true).map(({ location: { range } }) => ({
            range,
            newText: newName
          }))
        ])
        return { changes: Object.fromEntries(changes) }
      }),
    "workspace/symbol": ({ query }) =>
      Effect.map(documents.glossaries, (glossaries) =>
        Stream.fromIterable(glossaries).pipe(
          Stream.flatMap(({ entries }) => Stream.fromIterable(entries.filter(({ word }) => word.includes(query)))),
          Stream.map(({ location, word }) => ({ name: word, kind: 14, location }))
        )),
    "workspace/executeCommand": (params, call) => commands.run(params.command, params.arguments ?? [], call)
  })

  return {
    handlers,
    /** The code to exit with, when the editor says so. */
    exited: Deferred.await(exited)
  }
})
