/**
 * `NAME=VALUE` words of the command line.
 */
import * as Result from "effect/Result"

/** Each name with its value, or which word is wrong. */
export const fromWords = (
  words: ReadonlyArray<string>
): Result.Result<ReadonlyMap<string, string>, string> => {
  const named = new Map<string, string>()
  for (const word of words) {
    const at = word.indexOf("=")
    if (at < 1) return Result.fail(`${JSON.stringify(word)} is not of the form NAME=VALUE`)
    const name = word.slice(0, at)
    if (named.has(name)) return Result.fail(`${name} is given twice`)
    named.set(name, word.slice(at + 1))
  }
  return Result.succeed(named)
}
