/**
 * Regular expressions of a document, run in linear time. In the code that is made of it they have the flag `u`.
 */
import * as Pattern from "@parley/json-schema/Pattern"
import * as Result from "effect/Result"

const compiled = new Map<string, Pattern.Pattern | undefined>()

/** Whether a text matches; `undefined` where the pattern cannot be run, or would take long. */
export const test = (source: string, text: string): boolean | undefined => {
  if (!compiled.has(source)) {
    if (compiled.size >= 1_000) compiled.clear()
    compiled.set(source, make(source))
  }
  return compiled.get(source)?.test(text)
}

const make = (source: string): Pattern.Pattern | undefined => {
  try {
    // linear: it is only read, and never run
    new RegExp(source, "u")
    return Result.getOrUndefined(Pattern.make(source))
  } catch {
    return undefined
  }
}
