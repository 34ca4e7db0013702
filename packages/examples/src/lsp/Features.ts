/**
 * What the language features of the Language Server Protocol answer with, as
 * Schemas: hovers, completions, symbols.
 */
import { Schema } from "effect"
import * as Structures from "./Structures.ts"

const { maybe } = Structures

export const Hover = Schema.Struct({
  contents: Schema.Union([
    Structures.MarkupContent,
    Structures.MarkedString,
    Schema.Array(Structures.MarkedString)
  ]),
  range: maybe(Structures.Range)
})
export type Hover = typeof Hover.Type

/** The text of a hover, whichever of its forms it has. */
export const hoverText = ({ contents }: Hover): string => {
  const all = Array.isArray(contents) ? contents : [contents]
  return all.map((content) => typeof content === "string" ? content : content.value).join("\n\n")
}

/** A place, several, or links to them. */
export const Definition = Schema.NullOr(Schema.Union([
  Structures.Location,
  Schema.Array(Schema.Union([Structures.Location, Structures.LocationLink]))
]))

export const CompletionItem = Schema.Struct({
  label: Schema.String,
  kind: maybe(Schema.Int),
  detail: maybe(Schema.String),
  documentation: maybe(Schema.Union([Schema.String, Structures.MarkupContent])),
  sortText: maybe(Schema.String),
  filterText: maybe(Schema.String),
  insertText: maybe(Schema.String),
  insertTextFormat: maybe(Schema.Int),
  textEdit: maybe(Structures.Any),
  additionalTextEdits: maybe(Schema.Array(Structures.TextEdit)),
  command: maybe(Structures.Command),
  data: maybe(Structures.Any)
})
export type CompletionItem = typeof CompletionItem.Type

export const CompletionList = Schema.Struct({
  isIncomplete: Schema.Boolean,
  items: Schema.Array(CompletionItem)
})

/** Items, or a list that says whether they are all. */
export const Completions = Schema.NullOr(Schema.Union([Schema.Array(CompletionItem), CompletionList]))

/** The items of either form. */
export const completionItems = (completions: typeof Completions.Type): ReadonlyArray<CompletionItem> => {
  if (completions === null) return []
  return "items" in completions ? completions.items : completions
}

export interface DocumentSymbol {
  readonly name: string
  readonly detail?: string | null
  readonly kind: number
  readonly range: Structures.Range
  readonly selectionRange: Structures.Range
  readonly children?: ReadonlyArray<DocumentSymbol> | null
}

/** A symbol and those within it. */
export const DocumentSymbol = Schema.Struct({
  name: Schema.String,
  detail: maybe(Schema.String),
  kind: Schema.Int,
  range: Structures.Range,
  selectionRange: Structures.Range,
  children: maybe(Schema.Array(Schema.suspend((): Schema.Codec<DocumentSymbol> => DocumentSymbol)))
})

/** The flat form of a symbol, in documents and in workspaces. */
export const SymbolInformation = Schema.Struct({
  name: Schema.String,
  kind: Schema.Int,
  location: Structures.Location,
  containerName: maybe(Schema.String)
})
export type SymbolInformation = typeof SymbolInformation.Type
