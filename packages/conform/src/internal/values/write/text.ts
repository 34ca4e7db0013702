/** Writes texts: by their pattern, by their format, or of the lengths that are allowed. */
import type { Choices } from "../Choices.ts"
import { boundsOf, type Demand, valuesOf } from "../Demands.ts"
import type { World } from "../World.ts"
import { formats } from "./formats.ts"

/** A text is not longer, whatever its schema allows. */
const longest = 1_000

/** How often a pattern is tried. */
const mostTries = 8

export const write = (world: World, demands: ReadonlyArray<Demand>, choices: Choices): string | undefined => {
  const { least, most } = boundsOf(demands, "Length")
  if (least > Math.min(most, longestNeeded)) return undefined
  const sources = valuesOf(demands, "pattern").filter((source) => typeof source === "string")
  const patterns = sources.map(world.pattern).filter((pattern) => pattern !== undefined)
  const fits = (text: string): boolean => {
    const length = lengthOf(text)
    return length >= least && length <= most && patterns.every((pattern) => pattern.test(text) === true)
  }
  const format = valuesOf(demands, "format").find((name) => typeof name === "string")
  const known = (format === undefined ? [] : formats.get(format) ?? []).filter(fits)
  if (known.length > 0) return known[choices.next(known.length)]
  const plain = [...new Set(textsOf(least, most))].filter(fits)
  const [pattern] = patterns
  if (pattern === undefined) return plain[choices.next(plain.length)]
  for (let more = 0; more < mostTries; more++) {
    const text = pattern.example((count) => (choices.next(count) + more) % count)
    if (text === undefined) continue
    // A pattern without an end lets a text grow.
    const found = [text, text + "a".repeat(Math.max(0, least - lengthOf(text)))].find(fits)
    if (found !== undefined) return found
  }
  return plain[choices.next(plain.length)]
}

/** A text that has to be longer is not written. */
const longestNeeded = 100_000

/** Code points, as JSON Schema counts. */
export const lengthOf = (text: string): number => {
  let length = 0
  for (const _ of text) length++
  return length
}

/** Texts of the lengths at the bounds, and with characters that programs forget. */
const textsOf = (least: number, most: number): ReadonlyArray<string> => {
  const longestHere = Math.max(least, Math.min(most, longest))
  const lengths = [Math.min(Math.max(least, 1), longestHere), least, least + 1, Math.min(most, longest), least + 9]
  return [
    ...lengths.filter((length) => length <= longestHere).map((length) => "a".repeat(length)),
    ...["two words", "é", "😀", "\"'\\", "\n\t", "-1", "null"].map((text) => fitted(text, least, longestHere))
  ]
}

/** Of the wanted length: it is repeated, or cut. */
const fitted = (text: string, least: number, most: number): string => {
  const all = Array.from(text)
  while (all.length < least) all.push(all[all.length % lengthOf(text)] ?? "a")
  return all.slice(0, most).join("")
}
