/**
 * Which entries are shown, as `--show` says it: terms separated by commas. A term is a kind of entries or a pattern of
 * methods, and `!` before it leaves out what it names. A response has the method of its request.
 */
import * as Result from "effect/Result"
import type { Entry } from "./Story.ts"

/** Whether an entry is shown. */
export type Filter = (entry: Pick<Entry, "kind" | "method">) => boolean

/** The words that name kinds. */
export const kinds = [
  "request",
  "result",
  "error",
  "notification",
  "invalid",
  "http",
  "end"
] as const satisfies ReadonlyArray<Entry["kind"]>

/** Shows everything. */
export const everything: Filter = () => true

/** The filter of a text, or why it is none. */
export const fromText = (text: string): Result.Result<Filter, string> => {
  const wanted: Array<Filter> = []
  const unwanted: Array<Filter> = []
  for (const part of text.split(",")) {
    const term = part.trim()
    const isUnwanted = term.startsWith("!")
    const test = termOf(isUnwanted ? term.slice(1) : term)
    if (typeof test === "string") return Result.fail(`${JSON.stringify(term)} ${test}`)
    ;(isUnwanted ? unwanted : wanted).push(test)
  }
  return Result.succeed((entry) =>
    (wanted.length === 0 || wanted.some((test) => test(entry))) && !unwanted.some((test) => test(entry))
  )
}

const isKind = (word: string): word is typeof kinds[number] => kinds.some((kind) => kind === word)

/** The test of a term, or why it is no term. */
const termOf = (term: string): Filter | string => {
  if (isKind(term)) return ({ kind }) => kind === term
  if (term === "") return "names nothing"
  if (/[\s!]/.test(term)) return "is neither a kind nor a pattern of methods"
  const meant = term.toLowerCase().replace(/s$/, "")
  if (isKind(meant)) return `is no kind: did you mean ${meant}?`
  const matches = patternOf(term)
  return ({ method }) => method !== undefined && matches(method)
}

/** Tests a method; `*` stands for any characters. */
const patternOf = (pattern: string): (method: string) => boolean => {
  const [first = "", ...others] = pattern.split("*")
  const last = others.pop()
  if (last === undefined) return (method) => method === pattern
  return (method) => {
    if (!method.startsWith(first)) return false
    let at = first.length
    for (const part of others) {
      const found = method.indexOf(part, at)
      if (found === -1) return false
      at = found + part.length
    }
    return method.length - last.length >= at && method.endsWith(last)
  }
}
