/**
 * A tiny language for the example server: a line `word: meaning` defines a word,
 * and `@word` within a meaning refers to one. Pure functions of texts.
 */
import type { Diagnostic, Location, Position, Range } from "./Structures.ts"

/** A word where it stands. */
export interface Mention {
  readonly word: string
  readonly location: Location
}

/** A word and what it means. */
export interface Entry extends Mention {
  readonly meaning: string
}

/** One document. */
export interface Glossary {
  readonly uri: string
  readonly entries: ReadonlyArray<Entry>
  readonly uses: ReadonlyArray<Mention>
}

const definition = /^(\w+): *(.*)$/
const use = /@(\w+)/g

/** The form of a name. */
export const isWord = (name: string): boolean => /^\w+$/.test(name)

export const parse = (uri: string, text: string): Glossary => {
  const entries: Array<Entry> = []
  const uses: Array<Mention> = []
  text.split("\n").forEach((content, line) => {
    const mention = (word: string, character: number): Mention => ({
      word,
      location: { uri, range: { start: { line, character }, end: { line, character: character + word.length } } }
    })
    const [, defined, meaning = ""] = definition.exec(content) ?? []
    if (defined !== undefined) entries.push({ ...mention(defined, 0), meaning })
    for (const { 1: used = "", index } of content.matchAll(use)) uses.push(mention(used, index + 1))
  })
  return { uri, entries, uses }
}

/** The word under a cursor: one that is defined there, or used. */
export const at = ({ entries, uses }: Glossary, position: Position): Mention | undefined =>
  [...entries, ...uses].find(({ location: { range } }) => isWithin(range, position))

const isWithin = ({ end, start }: Range, { character, line }: Position) =>
  line === start.line && character >= start.character && character <= end.character

/** The places where a word is defined, over all documents. */
export const entriesOf = (glossaries: Iterable<Glossary>, word: string): ReadonlyArray<Entry> =>
  [...glossaries].flatMap(({ entries }) => entries.filter((entry) => entry.word === word))

/** The places where one document mentions a word. */
export const mentionsIn = (
  { entries, uses }: Glossary,
  word: string,
  withDefinition: boolean
): ReadonlyArray<Mention> => [...(withDefinition ? entries : []), ...uses].filter((mention) => mention.word === word)

/** The problems of a document: words without a definition. */
export const diagnose = (
  glossaries: ReadonlyArray<Glossary>,
  { uses }: Glossary,
  severity: 1 | 2
): ReadonlyArray<Diagnostic> =>
  uses.filter(({ word }) => entriesOf(glossaries, word).length === 0).map(({ location, word }) => ({
    range: location.range,
    severity,
    code: "undefined-word",
    source: "glossary",
    message: `nobody says what ${word} means`
  }))
