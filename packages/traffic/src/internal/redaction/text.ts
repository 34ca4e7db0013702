/**
 * Replaces what is found in a text.
 */
import type { Own } from "./names.ts"
import { spansOf } from "./scan.ts"
import { withoutToken } from "./work.ts"

/** The text without its secrets. Marks change how odd text around them is read, so it is read until all of it stays. */
export const withoutSecrets = (text: string, own: Own): string => {
  let before = text
  for (let passes = 0; passes < maxPasses; passes++) {
    const after = replaced(before, own)
    if (after === before) break
    before = after
  }
  return before
}

/** Keeps the time linear. Two passes are common; a million odd texts took three at most. */
const maxPasses = 8

const replaced = (text: string, own: Own): string => {
  const parts: Array<string> = []
  let from = 0
  for (const { by, end, start } of withoutToken(text, spansOf(text, own))) {
    parts.push(text.slice(from, start), by)
    from = end
  }
  if (parts.length === 0) return text
  parts.push(text.slice(from))
  return parts.join("")
}
