/** Keys and texts that an engine might take for something of its own, or for nothing. */
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"

/** All differ, though some look alike to a server that folds, trims or cuts. */
export const keys: ReadonlyArray<string> = [
  ...["", " ", ".", "..", "*", ">", "$", "/", ":", "-", "_", "%", "{a}", "\\", "\"", "\n", "\u0000", "\u{1f600}"],
  ...["a", "A", "a ", "a.b", "a/b", "a/b/c", "a b", "a*b", "a>b", "a:b", "%61", "\u00e9", "e\u0301", "\u2028"],
  "x".repeat(400)
]

const odd = ["", " ", "\n", "\r\n", "\u0000", "\u2028\ufeff", "\uffff", "\u{10ffff}", "MSG a 1\r\n", "$5\r\nhello\r\n"]

/** As many characters as a mebibyte has bytes, of one to four bytes each. */
const long = "a\u00f1\u2713\u{1d11e} ".repeat(174_763).slice(0, 1_048_574) + "\u00e9\n"

/** Texts of any content and of any size. */
export const texts: ReadonlyArray<string> = [...odd, "x".repeat(65_536), "y".repeat(1_048_576), long, ...odd]

const text = Arbitrary.schema(Schema.String)

/** Few short texts: well-formed, as UTF-8 carries no others. */
export const some = Arbitrary.array(Arbitrary.map(text, (text) => text.toWellFormed()), { maxLength: 8 })

/** The first difference between what came and what was sent. */
export const differ = (sent: ReadonlyArray<string>, got: ReadonlyArray<string>): string | undefined => {
  const wrong = sent.findIndex((text, index) => got[index] !== text)
  if (wrong === -1 && got.length === sent.length) return undefined
  return wrong === -1
    ? `${got.length} texts came of ${sent.length}`
    : `text ${wrong} of ${sent.length} is ${show(got[wrong])} and not ${show(sent[wrong])}`
}

/** A value as a reader of a broken law sees it. */
export const show = (value: unknown): string => {
  const shown = JSON.stringify(value) ?? "nothing"
  return shown.length > 200 ? `${shown.slice(0, 200)}… of ${shown.length} characters` : shown
}
