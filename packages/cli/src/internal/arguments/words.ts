/**
 * A command line as words. Quotes and backslashes work as in a shell; nothing is
 * expanded, and no shell is started.
 */
import * as Result from "effect/Result"

/** The pieces of a word: plain, 'literal', "with \" and \\", or a backslash and the character after it. */
const piece = /\s+|'([^']*)'|"((?:[^"\\]|\\[^])*)"|\\([^])|([^\s'"\\]+)/y

/** The words of a text, or why it has none. */
export const split = (text: string): Result.Result<ReadonlyArray<string>, string> => {
  const words: Array<string> = []
  let word: string | undefined
  piece.lastIndex = 0
  while (piece.lastIndex < text.length) {
    const at = piece.lastIndex
    const match = piece.exec(text)
    if (match === null) {
      return Result.fail(`${JSON.stringify(text.slice(at, at + 20))} begins a quote that does not end`)
    }
    const [, single, double, escaped, plain] = match
    const part = single ?? double?.replace(/\\(["\\])/g, "$1") ?? escaped ?? plain
    if (part !== undefined) {
      word = (word ?? "") + part
    } else if (word !== undefined) {
      words.push(word)
      word = undefined
    }
  }
  if (word !== undefined) words.push(word)
  return Result.succeed(words)
}

/** A text whose words these are. */
export const join = (words: ReadonlyArray<string>): string =>
  words.map((word) => /^[\w%+,./:=@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`).join(" ")
