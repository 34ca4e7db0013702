/**
 * The texts of the corpus, for a server that does not have the methods of the specimen.
 *
 * Each method of the specimen becomes one that no server has: a call of it is answered with an error, and does nothing.
 */
import * as Corpus from "@parley/conformance/Corpus"
import * as Specimen from "@parley/conformance/Specimen"

/** The cases whose names or sections fulfil the predicate. */
export const where = (predicate: (one: Corpus.WireCase) => boolean): ReadonlyArray<Corpus.WireCase> =>
  all.filter(predicate)

/** A name that no server has. */
export const unknown = (name: string): string => `parley.conform.${name}`

const names = [...Object.keys(Specimen.handlers), "foobar", "foo.get"].map((name) => name.replace(".", "\\."))

// linear: one of a few words in quotes
const method = new RegExp(`("method"\\s*:\\s*")(${names.join("|")})"`, "g")

const renamed = (text: string): string =>
  text.replace(method, (_, before: string, name: string) => `${before}${unknown(name)}"`)

const all: ReadonlyArray<Corpus.WireCase> = Corpus.corpus.map((one) => ({ ...one, input: renamed(one.input) }))
