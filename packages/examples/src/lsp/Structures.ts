/**
 * The structures that the Language Server Protocol builds on (3.17, "Basic
 * Structures"), as Schemas: what both directions name, and no method.
 *
 * Members that are not listed are ignored, as the protocol asks for.
 */
import { Schema } from "effect"

/** A member that may be left out. Servers write null for it as well. */
export const maybe = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** A token of progress, which the sender of the request chooses. */
export const ProgressToken = Schema.Union([Schema.Int, Schema.String])

/** A value that only one side interprets. */
export const Any = Schema.Json

/** Lines and characters count from 0; a character is a UTF-16 code unit. */
export const Position = Schema.Struct({ line: Schema.Int, character: Schema.Int })
export type Position = typeof Position.Type

/** The end is not part of it. */
export const Range = Schema.Struct({ start: Position, end: Position })
export type Range = typeof Range.Type

export const Location = Schema.Struct({ uri: Schema.String, range: Range })
export type Location = typeof Location.Type

export const LocationLink = Schema.Struct({
  originSelectionRange: maybe(Range),
  targetUri: Schema.String,
  targetRange: Range,
  targetSelectionRange: Range
})

export const TextDocumentIdentifier = Schema.Struct({ uri: Schema.String })

export const VersionedTextDocumentIdentifier = Schema.Struct({ uri: Schema.String, version: Schema.Int })

export const TextDocumentItem = Schema.Struct({
  uri: Schema.String,
  languageId: Schema.String,
  version: Schema.Int,
  text: Schema.String
})

/** A change of a part, or, without a range, the whole new text. */
export const TextDocumentContentChange = Schema.Struct({ range: maybe(Range), text: Schema.String })

export const TextEdit = Schema.Struct({ range: Range, newText: Schema.String })
export type TextEdit = typeof TextEdit.Type

export const TextDocumentEdit = Schema.Struct({
  textDocument: Schema.Struct({ uri: Schema.String, version: Schema.NullOr(Schema.Int) }),
  edits: Schema.Array(TextEdit)
})

/** Edits by document. What creates, renames and deletes files stays as it is. */
export const WorkspaceEdit = Schema.Struct({
  changes: maybe(Schema.Record(Schema.String, Schema.Array(TextEdit))),
  documentChanges: maybe(Schema.Array(Schema.Union([TextDocumentEdit, Any])))
})
export type WorkspaceEdit = typeof WorkspaceEdit.Type

/** `plaintext` or `markdown`. */
export const MarkupContent = Schema.Struct({ kind: Schema.String, value: Schema.String })

/** The predecessor of `MarkupContent`, which servers still send. */
export const MarkedString = Schema.Union([
  Schema.String,
  Schema.Struct({ language: Schema.String, value: Schema.String })
])

export const Command = Schema.Struct({
  title: Schema.String,
  command: Schema.String,
  arguments: maybe(Schema.Array(Any))
})

/** 1 is an error, 2 a warning, 3 an information, 4 a hint. */
export const DiagnosticSeverity = Schema.Literals([1, 2, 3, 4])

export const Diagnostic = Schema.Struct({
  range: Range,
  severity: maybe(DiagnosticSeverity),
  code: maybe(Schema.Union([Schema.Int, Schema.String])),
  source: maybe(Schema.String),
  message: Schema.String,
  relatedInformation: maybe(Schema.Array(Schema.Struct({ location: Location, message: Schema.String }))),
  data: maybe(Any)
})
export type Diagnostic = typeof Diagnostic.Type

/** 1 is an error, 2 a warning, 3 an information, 4 a log entry, 5 for who debugs. */
export const MessageType = Schema.Literals([1, 2, 3, 4, 5])

export const WorkspaceFolder = Schema.Struct({ uri: Schema.String, name: Schema.String })
