/** Where the values of a JSON text stand, so that some of them can be replaced and all others stay as they were written. */

/** A string or a number, and the member whose value it is. */
export interface Place {
  readonly start: number
  readonly end: number
  /** The name of the nearest member around it. */
  readonly name: string | undefined
  /** How many objects and arrays stand around it. */
  readonly depth: number
}

/** The strings and numbers of a text that is JSON, in their order, without the names of members. */
export const placesOf = (text: string): ReadonlyArray<Place> => {
  const places: Array<Place> = []
  /** The names of the members that are open, one for each object and array. */
  const open: Array<string | undefined> = []
  let name: string | undefined
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === "\"") {
      const start = at
      at = endOfString(text, at)
      const after = afterBlanks(text, at + 1)
      if (text[after] === ":") {
        name = nameOf(text.slice(start, at + 1))
        at = after
      } else places.push({ start, end: at + 1, name, depth: open.length })
    } else if (character === "{" || character === "[") {
      open.push(name)
    } else if (character === "}" || character === "]") {
      name = open.pop()
    } else if (character === "," || character === " ") {
      // The elements of an array belong to the member that the array is the value of.
      if (character === ",") name = open.at(-1)
    } else if (character !== undefined && startsNumber.test(character)) {
      number.lastIndex = at
      number.test(text)
      const end = Math.max(at + 1, number.lastIndex)
      places.push({ start: at, end, name, depth: open.length })
      at = end - 1
    }
  }
  return places
}

const startsNumber = /[-0-9]/
const number = /-?[0-9][0-9.eE+-]*/y

/** The place of the quote that closes a string. */
const endOfString = (text: string, start: number): number => {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at++
    else if (text[at] === "\"") return at
  }
  return text.length
}

const afterBlanks = (text: string, from: number): number => {
  let at = from
  while (at < text.length && (text[at] === " " || text[at] === "\n" || text[at] === "\r" || text[at] === "\t")) at++
  return at
}

const nameOf = (source: string): string => source.includes("\\") ? String(JSON.parse(source)) : source.slice(1, -1)
