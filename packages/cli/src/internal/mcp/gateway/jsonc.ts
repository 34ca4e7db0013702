/**
 * JSON as people write it by hand: with comments, commas behind the last member, and the mark that some editors begin a
 * file with.
 */
import * as Result from "effect/Result"

/** The value of a text, or why there is none. */
export const parse = (text: string): Result.Result<unknown, string> =>
  Result.try({ try: (): unknown => JSON.parse(plain(text.replace(/^\uFEFF/, ""))), catch: (error) => String(error) })

/** The same without comments and without commas that nothing follows. Lines stay where they are. */
const plain = (text: string): string => {
  const parts: Array<string> = []
  /** The place of a comma that may be the last. */
  let comma = -1
  let at = 0
  while (at < text.length) {
    const end = endOf(text, at)
    const part = text.slice(at, end)
    at = end
    if (part.startsWith("//") || part.startsWith("/*")) {
      parts.push(part.replace(/[^\n]/g, " "))
      continue
    }
    if ((part === "]" || part === "}") && comma >= 0) parts[comma] = " "
    if (part.trim() !== "") comma = part === "," ? parts.length : -1
    parts.push(part)
  }
  return parts.join("")
}

/** The end of a string, of a comment, or of one character. */
const endOf = (text: string, at: number): number => {
  if (text[at] === "\"") {
    let end = at + 1
    while (end < text.length && text[end] !== "\"") end += text[end] === "\\" ? 2 : 1
    return Math.min(end + 1, text.length)
  }
  if (text.startsWith("//", at)) return found(text.indexOf("\n", at), text)
  if (text.startsWith("/*", at)) return found(text.indexOf("*/", at + 2) + 2, text, 2)
  return at + 1
}

const found = (end: number, text: string, least = 0): number => end < least ? text.length : end
