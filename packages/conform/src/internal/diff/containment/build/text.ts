/** Builds texts from facts. */
import * as Pattern from "@parley/json-schema/Pattern"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { Facts } from "../Facts.ts"
import { type Answer, none, unknown } from "../Goal.ts"

/** A text that the facts allow. */
export const text = (facts: Facts, holds: (value: Schema.Json) => Answer): Answer => {
  const { excluded, fewest, mostParts, nonPatterns, patterns } = facts
  if (fewest > longest) return unknown(`a text would have more than ${longest} characters`)
  if (patterns.length === 0 && nonPatterns.length === 0) return plain(facts, holds)
  const literals = excluded.flatMap((value) => typeof value === "string" ? [`^${escaped(value)}$`] : [])
  const found = Pattern.find({
    matched: patterns,
    unmatched: [...nonPatterns, ...literals],
    least: fewest,
    most: mostParts
  })
  if (Result.isFailure(found)) {
    // A text that is read as data may fit nevertheless.
    const answer = firstOf([...samples, ...literalsOf([...patterns, ...nonPatterns])], facts, holds)
    return answer._tag === "Found" ? answer : unknown(`of a pattern of its schema: ${found.failure}`)
  }
  if (found.success === undefined) return none
  const answer = holds(found.success)
  return answer._tag === "None" ? unknown("a text that fits its patterns does not fit its schema") : answer
}

const longest = 65_536

/** Without patterns a text of any length has so many siblings that one of them is not excluded. */
const plain = (facts: Facts, holds: (value: Schema.Json) => Answer): Answer => {
  const { excluded, fewest, mostParts } = facts
  if (mostParts === 0) return excluded.includes("") ? none : holds("")
  const length = Math.max(1, fewest)
  const candidates = [
    ...fewest === 0 ? ["", "a"] : ["a".repeat(length)],
    ...Array.from({ length: excluded.length + 1 }, (_, at) => String.fromCodePoint(0x100 + at).repeat(length))
  ]
  return firstOf(candidates, facts, holds)
}

const firstOf = (
  candidates: ReadonlyArray<string>,
  { excluded, fewest, mostParts }: Facts,
  holds: (value: Schema.Json) => Answer
): Answer => {
  for (const candidate of candidates) {
    const { length } = [...candidate]
    if (excluded.includes(candidate) || length < fewest || length > mostParts) continue
    const answer = holds(candidate)
    if (answer._tag !== "None") return answer
  }
  return unknown("no text was found, and none was ruled out")
}

const escaped = (literal: string): string => literal.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")

const samples = ["", "a", "A", "0", "abc", "0x0", "a-b", "A1", "https://example.org/", "a@example.org", "2026-01-31"]

/** The words of a pattern: what it says as it is. */
const literalsOf = (patterns: ReadonlyArray<string>): ReadonlyArray<string> =>
  patterns.flatMap((pattern) => [pattern.replace(/^\^|\$$/g, ""), ...pattern.match(/[\w.:/-]+/g) ?? []])
