/**
 * The Language Server Protocol, both directions: what a server serves, what a
 * client serves, and the dialect they share.
 *
 * A part of revision 3.17, enough for an editor's daily work. Names are those on
 * the wire.
 */
import { Contract, ContractPair, Method, Notification, Subscription } from "@parley/contract"
import { Dialect } from "@parley/protocol"
import { Schema } from "effect"
import * as Features from "./Features.ts"
import * as Structures from "./Structures.ts"

const { maybe } = Structures

/** Capabilities are open: each side looks at those it knows. */
const Capabilities = Schema.Record(Schema.String, Schema.Json)

const NameAndVersion = Schema.Struct({ name: Schema.String, version: maybe(Schema.String) })

const at = { textDocument: Structures.TextDocumentIdentifier, position: Structures.Position }

/** The server cannot start as it was asked to; `retry` says whether asking again may help. */
export class InitializeError extends Schema.TaggedError<InitializeError>()("InitializeError", {
  retry: Schema.Boolean
}) {}

/** The methods of a language server. */
export class LanguageServer extends Contract.make("LanguageServer", {
  initialize: Method.make({
    params: {
      processId: Schema.NullOr(Schema.Int),
      clientInfo: maybe(NameAndVersion),
      locale: maybe(Schema.String),
      rootUri: Schema.NullOr(Schema.String),
      capabilities: Capabilities,
      initializationOptions: maybe(Structures.Any),
      trace: maybe(Schema.String),
      workspaceFolders: maybe(Schema.Array(Structures.WorkspaceFolder))
    },
    result: Schema.Struct({ capabilities: Capabilities, serverInfo: maybe(NameAndVersion) }),
    errors: { 1: Method.error(InitializeError, "Cannot initialize") }
  }),
  initialized: Notification.make({ params: {} }),
  shutdown: Method.make(),
  exit: Notification.make(),
  "$/setTrace": Notification.make({ params: { value: Schema.String } }),

  "textDocument/didOpen": Notification.make({ params: { textDocument: Structures.TextDocumentItem } }),
  "textDocument/didChange": Notification.make({
    params: {
      textDocument: Structures.VersionedTextDocumentIdentifier,
      contentChanges: Schema.Array(Structures.TextDocumentContentChange)
    }
  }),
  "textDocument/didClose": Notification.make({ params: { textDocument: Structures.TextDocumentIdentifier } }),
  "window/workDoneProgress/cancel": Notification.make({ params: { token: Structures.ProgressToken } }),
  "workspace/didChangeConfiguration": Notification.make({ params: { settings: Structures.Any } }),

  "textDocument/hover": Method.make({ params: at, result: Schema.NullOr(Features.Hover), idempotent: true }),
  "textDocument/completion": Method.make({
    params: { ...at, context: maybe(Structures.Any) },
    result: Features.Completions,
    idempotent: true
  }),
  "textDocument/definition": Method.make({ params: at, result: Features.Definition, idempotent: true }),
  "textDocument/references": Subscription.make({
    summary: "Places as partial results; a server without them gives all in its response.",
    params: { ...at, context: Schema.Struct({ includeDeclaration: Schema.Boolean }) },
    item: Structures.Location
  }),
  "textDocument/documentSymbol": Method.make({
    params: { textDocument: Structures.TextDocumentIdentifier },
    result: Schema.NullOr(Schema.Union([
      Schema.Array(Features.DocumentSymbol),
      Schema.Array(Features.SymbolInformation)
    ])),
    idempotent: true
  }),
  "textDocument/prepareRename": Method.make({ params: at, result: Schema.NullOr(Structures.Any), idempotent: true }),
  "textDocument/rename": Method.make({
    params: { ...at, newName: Schema.String },
    result: Schema.NullOr(Structures.WorkspaceEdit)
  }),
  "workspace/symbol": Subscription.make({
    params: { query: Schema.String },
    item: Features.SymbolInformation
  }),
  "workspace/executeCommand": Method.make({
    params: { command: Schema.String, arguments: maybe(Schema.Array(Structures.Any)) },
    result: Schema.NullOr(Structures.Any)
  })
}) {}

const message = { type: Structures.MessageType, message: Schema.String }

/** The methods of a client of a language server. */
export class LanguageClient extends Contract.make("LanguageClient", {
  "workspace/configuration": Method.make({
    params: {
      items: Schema.Array(Schema.Struct({ scopeUri: maybe(Schema.String), section: maybe(Schema.String) }))
    },
    result: Schema.Array(Structures.Any)
  }),
  "workspace/applyEdit": Method.make({
    params: { label: maybe(Schema.String), edit: Structures.WorkspaceEdit },
    result: Schema.Struct({ applied: Schema.Boolean, failureReason: maybe(Schema.String) })
  }),
  "window/workDoneProgress/create": Method.make({ params: { token: Structures.ProgressToken } }),
  "window/showMessageRequest": Method.make({
    params: { ...message, actions: maybe(Schema.Array(Schema.Struct({ title: Schema.String }))) },
    result: Schema.NullOr(Schema.Struct({ title: Schema.String }))
  }),
  "client/registerCapability": Method.make({
    params: {
      registrations: Schema.Array(
        Schema.Struct({ id: Schema.String, method: Schema.String, registerOptions: maybe(Structures.Any) })
      )
    }
  }),
  "client/unregisterCapability": Method.make({
    // The protocol has misspelt it for ever.
    params: { unregisterations: Schema.Array(Schema.Struct({ id: Schema.String, method: Schema.String })) }
  }),

  "textDocument/publishDiagnostics": Notification.make({
    params: { uri: Schema.String, version: maybe(Schema.Int), diagnostics: Schema.Array(Structures.Diagnostic) }
  }),
  "window/logMessage": Notification.make({ params: message }),
  "window/showMessage": Notification.make({ params: message }),
  "telemetry/event": Notification.make({ params: Schema.Union([Schema.JsonObject, Schema.Array(Schema.Json)]) }),
  "$/logTrace": Notification.make({ params: { message: Schema.String, verbose: maybe(Schema.String) } }),
  // Of work whose token the server has made; progress of a call goes to its caller.
  "$/progress": Notification.make({ params: { token: Structures.ProgressToken, value: Structures.Any } })
}) {}

/** Both directions. */
export const Lsp = ContractPair.make({ client: LanguageClient, server: LanguageServer, dialect: Dialect.lsp })
