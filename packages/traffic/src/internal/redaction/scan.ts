/**
 * Reads JSON for its names and strings, and whatever else as far as it looks like JSON.
 *
 * A quote opens a string where one may stand: within brackets or braces, at the beginning of a text, and before a colon.
 * A string that nothing of JSON follows was none, and the text goes on behind its quote. A name of other text that has its
 * value behind it is read with the value, so that the quotes and brackets of a secret are none of JSON.
 */
import * as assignments from "./assignments.ts"
import { isList, isSecret, longest, type Own } from "./names.ts"
import { find, suspicionFrom } from "./shapes.ts"
import { mark, merged, type Span } from "./Span.ts"
import {
  afterBlanks,
  assigning,
  bracketed,
  decoded,
  escaped,
  placesIn,
  type Quoted,
  quotedAt,
  wordEnd
} from "./strings.ts"

/** How many strings may stand in each other. */
const deepest = 8

/** The parts of a text to replace, in their order. */
export const spansOf = (text: string, own: Own): ReadonlyArray<Span> => new Scan(text, 0, new Map(), own).spans()

/** What is known of an object or array that has begun. A text may open one with each of its characters, so it is a number. */
const outside = 0
/** All that stands in it is a secret. */
const secret = 1
/** It is the `properties` of a JSON Schema. */
const properties = 2
const array = 4
/** Its strings are names. */
const list = 8

/** What is known of the `value` of an object with a name and a value, as in a list of variables or headers. */
interface Pair {
  /** Whether its name is that of a secret. */
  readonly isSecret: boolean
  /** The value, before a name that may be one of a secret. An object or array that has not ended has no end. */
  readonly value: { readonly start: number; readonly end: number | undefined; readonly by: string } | undefined
}

/** A name in an array, whose value may be the next string. */
interface Leader {
  /** Whether the string has the dashes of a command's flag. */
  readonly isFlag: boolean
}

/** The name of a member. */
interface Name {
  readonly text: string
  readonly isSecret: boolean
}

class Scan {
  readonly #text: string
  readonly #depth: number
  /** The names that were read, also in the strings around this text. */
  readonly #names: Map<string, Name>
  readonly #own: Own
  readonly #found: Array<Span> = []
  readonly #containers: Array<number> = []
  /** By the depth of their objects, where there is something to know. */
  readonly #pairs = new Map<number, Pair>()
  /** The name whose value comes next. */
  #name: Name | undefined = undefined
  #leader: Leader | undefined = undefined
  /** Whether nothing of the array was read yet. */
  #isFirst = false
  #at = 0
  /** Where the text begins that was not searched for shapes. */
  #plain = 0
  /** The first place from `#plain` on that may have a secret by its shape: a text of strings is searched once. */
  #suspicion = -1
  /** Where something else than blanks begins. */
  readonly #first: number
  /** The last quote that was read, and where what it opens would end: a text of quotes is read once. */
  #read: Quoted = { opening: -1, closing: -1, after: -1, traits: 0 }
  #wordEnd = 0
  /** The next name of other text with a value, where the text was searched for one. */
  #assignment: assignments.Assignment | undefined = undefined
  /** Up to where the text was searched for one. */
  #searched = -1

  constructor(text: string, depth: number, names: Map<string, Name>, own: Own) {
    this.#text = text
    this.#own = own
    this.#depth = depth
    this.#names = names
    this.#first = afterBlanks(text, 0)
  }

  spans(): ReadonlyArray<Span> {
    const text = this.#text
    while (this.#at < text.length) {
      switch (text[this.#at]) {
        case `"`:
          this.#string()
          break
        case "{":
        case "[":
          this.#open(text[this.#at] === "[")
          break
        case "}":
        case "]":
          this.#close()
          break
        case ",":
          this.#name = undefined
          this.#at++
          break
        default:
          this.#other()
      }
    }
    this.#shapes(this.#plain, text.length)
    return merged(this.#found)
  }

  get #container(): number {
    return this.#containers.at(-1) ?? outside
  }

  /** Whether the next value is a secret. */
  get #isSecret(): boolean {
    return (this.#container & secret) !== 0 || this.#name?.isSecret === true
      || (this.#name?.text === "value" && this.#pairs.get(this.#containers.length)?.isSecret === true)
  }

  /** The secrets in a part of the text that show by their shape. */
  #shapes(from: number, to: number): void {
    if (this.#suspicion < from) this.#suspicion = suspicionFrom(this.#text, from)
    if (this.#suspicion < to) find(this.#text, from, to, this.#found)
  }

  #open(isArray: boolean): void {
    const name = this.#name
    const container = this.#container
    const isDescribed = !isArray && (container & properties) !== 0
    const isOfNames = isArray && (name === undefined ? (container & list) !== 0 : isList(name.text))
    if (name?.text === "value") this.#value(this.#at, undefined, JSON.stringify(mark))
    this.#containers.push(
      ((container & secret) !== 0 || (this.#isSecret && !isDescribed) ? secret : outside)
        | (!isArray && name?.text === "properties" ? properties : outside)
        | (isArray ? array : outside)
        | (isOfNames ? list : outside)
    )
    this.#isFirst = isArray
    this.#leader = undefined
    this.#name = undefined
    this.#at++
  }

  #close(): void {
    this.#pairs.delete(this.#containers.length)
    this.#containers.pop()
    this.#at++
    const depth = this.#containers.length
    const pair = depth === 0 ? undefined : this.#pairs.get(depth)
    if (pair?.value !== undefined && pair.value.end === undefined) {
      this.#pairs.set(depth, { ...pair, value: { ...pair.value, end: this.#at } })
    }
    this.#isFirst = false
    this.#leader = undefined
    this.#name = undefined
  }

  /** A string, a name, or a quote that is neither. */
  #string(): void {
    const text = this.#text
    const start = this.#at
    const { after, closing, traits } = this.#quoted(start)
    const next = text.charAt(after)
    const isName = next === ":"
    // A quote of prose opens none, as in: it is 5" wide.
    const isString = next === "" || next === "," || next === "}" || next === "]"
    const mayBegin = this.#containers.length > 0 || start === this.#first
    if (!isName && this.#name === undefined && !this.#isSecret && !(isString && mayBegin)) {
      this.#at++
      return
    }
    this.#shapes(this.#plain, start)
    if (isName) {
      this.#within(start + 1, closing, traits)
      this.#name = closing - start > longest ? undefined : this.#nameOf(start + 1, closing, traits)
      this.#leader = undefined
      this.#at = after + 1
    } else {
      const isValue = this.#isSecret || this.#isLed(start + 1, next)
      if (!isValue) this.#within(start + 1, closing, traits)
      else if (closing > start + 1) this.#found.push({ start: start + 1, end: closing, by: mark })
      this.#pair(start + 1, closing, traits)
      this.#leader = isValue ? undefined : this.#leaderOf(start + 1, closing, traits)
      this.#name = undefined
      this.#at = Math.min(closing + 1, text.length)
    }
    this.#isFirst = false
    this.#plain = this.#at
  }

  /** Whether the string before this one in an array is the name of its secret. */
  #isLed(start: number, next: string): boolean {
    const leader = this.#leader
    if (leader === undefined || this.#name !== undefined) return false
    return leader.isFlag ? this.#text.charCodeAt(start) !== dash : next === "]"
  }

  /** What a string of an array says of the next one: a flag names its value anywhere, and the first of two names the other. */
  #leaderOf(start: number, end: number, traits: number): Leader | undefined {
    const container = this.#container
    if ((container & array) === 0 || this.#name !== undefined || end - start > longest) return undefined
    const isFlag = this.#text.charCodeAt(start) === dash
    if (!isFlag && (!this.#isFirst || (container & list) !== 0)) return undefined
    const { isSecret, text } = this.#nameOf(start, end, traits)
    return isSecret && (isFlag || !assignments.prose.test(text)) ? { isFlag } : undefined
  }

  /** A string of an object that may have a name and a value, in either order. */
  #pair(start: number, end: number, traits: number): void {
    const name = this.#name?.text ?? ""
    const depth = this.#containers.length
    if (depth === 0) return
    if (name === "value") this.#value(start, end, mark)
    else if (naming.has(name) && end - start <= longest && this.#nameOf(start, end, traits).isSecret) {
      const value = this.#pairs.get(depth)?.value
      if (value?.end !== undefined && value.end > value.start) this.#found.push({ ...value, end: value.end })
      this.#pairs.set(depth, { isSecret: true, value: undefined })
    }
  }

  /** Remembers a value whose name may follow. */
  #value(start: number, end: number | undefined, by: string): void {
    const depth = this.#containers.length
    if (depth > 0 && this.#pairs.get(depth)?.isSecret !== true) {
      this.#pairs.set(depth, { isSecret: false, value: { start, end, by } })
    }
  }

  /** Where the string ends that a quote would open. Quotes within it are escaped, so that theirs would end there, too. */
  #quoted(opening: number): Quoted {
    if (opening > this.#read.opening && opening < this.#read.closing) return this.#read
    this.#read = quotedAt(this.#text, opening)
    return this.#read
  }

  #nameOf(start: number, end: number, traits: number): Name {
    const text = (traits & escaped) === 0 ? this.#text.slice(start, end) : decoded(this.#text, start, end)
    const known = this.#names.get(text)
    if (known !== undefined) return known
    const name = { text, isSecret: isSecret(text, this.#own) }
    if (this.#names.size < mostNames) this.#names.set(text, name)
    return name
  }

  /** The secrets within a string. */
  #within(start: number, end: number, traits: number): void {
    if (end - start < 3) return
    const isEscaped = (traits & escaped) !== 0
    // Only escapes bring the quotes of another text.
    if (isEscaped && this.#depth >= deepest) {
      this.#found.push({ start, end, by: mark })
      return
    }
    if (isEscaped) return this.#escaped(start, end)
    if ((traits & bracketed) !== 0) {
      for (const span of new Scan(this.#text.slice(start, end), this.#depth, this.#names, this.#own).spans()) {
        this.#found.push({ ...span, start: start + span.start, end: start + span.end })
      }
      return
    }
    this.#shapes(start, end)
    if ((traits & assigning) !== 0) assignments.find(this.#text.slice(start, end), start, this.#found, this.#own)
  }

  #escaped(start: number, end: number): void {
    const spans = new Scan(decoded(this.#text, start, end), this.#depth + 1, this.#names, this.#own).spans()
    const placeOf = placesIn(this.#text, start, end)
    for (const span of spans) {
      this.#found.push({
        start: placeOf(span.start),
        end: placeOf(span.end),
        by: JSON.stringify(span.by).slice(1, -1)
      })
    }
  }

  /** A number, a literal, a blank, a name with its value, or anything else. */
  #other(): void {
    const text = this.#text
    const start = this.#at
    // A word that has assignments is read in parts, and its end is looked for once.
    if (start >= this.#wordEnd) this.#wordEnd = wordEnd(text, start)
    let end = this.#wordEnd
    if (end === start) {
      this.#at++
      return
    }
    let word = text.slice(start, end)
    const isNumber = number.test(word)
    const isPlain = isNumber || isLiteral(word)
    // Among secrets, each word is one, and none is a name.
    const isWithin = this.#isSecret
    const assignment = isPlain || isWithin ? undefined : this.#assignmentIn(end)
    if (assignment !== undefined) {
      // Its value is read apart, and may be another name.
      end = Math.min(end, assignment.start > start ? assignment.start : assignment.from)
      word = text.slice(start, end)
    }
    const by = isNumber ? JSON.stringify(mark) : mark
    if (isWithin && !isLiteral(word)) this.#found.push({ start, end, by })
    else if (this.#name?.text === "value" && isNumber) this.#value(start, end, by)
    if (this.#containers.length === 0) this.#name = undefined
    this.#isFirst = false
    this.#leader = undefined
    this.#at = end
    if (assignment?.start !== start) return
    const secret = assignments.secretOf(text, assignment, this.#own)
    if (secret === undefined) return
    assignments.add(text, secret, 0, this.#found)
    this.#name = undefined
    this.#at = secret.next
  }

  /** The assignment that begins in the word here. One that begins within a string of JSON is none. */
  #assignmentIn(end: number): assignments.Assignment | undefined {
    if (this.#searched < this.#at) {
      this.#assignment = assignments.next(this.#text, this.#at)
      this.#searched = this.#assignment?.start ?? this.#text.length
    }
    return this.#searched < end ? this.#assignment : undefined
  }
}

const dash = 0x2d

/** The members that say what the `value` beside them is. */
const naming: ReadonlySet<string> = new Set(["name", "key", "header"])

/** Words that are no secret, and the one within a mark. */
const literals: ReadonlySet<string> = new Set(["null", "true", "false", mark.slice(1, -1)])

const isLiteral = (word: string): boolean => word.length <= mark.length && literals.has(word)

const number = /^-?\d[\d.eE+-]*$/

/** How many names are remembered: a text has the same ones again and again. */
const mostNames = 1_000
