/**
 * JSON that is passed on with all digits of its numbers.
 *
 * `JSON.parse` rounds numbers to doubles. Here a number is a double as well, and `JSON.stringify` writes the text that it
 * was parsed from: 9007199254740993, 1e400 and 0.10 leave as they came. An object or array remembers the texts of its own
 * numbers, as long as these stay the same; a copy of it does so where `carry` says so.
 *
 * ```ts run
 * import { Relayed } from "@parley/protocol/shared"
 *
 * const json = Relayed.parseUnsafe("{\"id\":9007199254740993,\"rate\":0.10}")
 *
 * console.log(json) // => { id: 9007199254740992, rate: 0.1 }
 * console.log(JSON.stringify({ rows: [json] })) // => {"rows":[{"id":9007199254740993,"rate":0.10}]}
 * ```
 *
 * @since 0.1.0
 */
import * as ExactNumber from "./ExactNumber.ts"

/** The texts of the numbers that an object or array holds itself. */
type Texts = ReadonlyMap<string, ExactNumber.ExactNumber>

const remembered = new WeakMap<object, Texts>()
const beyond = new WeakSet<object>()

/** Whether any object remembers something. Until then a copy costs nothing more. */
let isInUse = false

/**
 * Parses a text that is known to be JSON, as `ExactNumber.parseUnsafe` does, at the same cost. A number that is no member
 * of an object or array is an `ExactNumber`.
 *
 * `onKept` runs for each number that is remembered. Partial: throws what that throws, a `RangeError` where the text nests
 * too deep for the stack or an object with such a number has a member `toJSON`, and a `TypeError` where the runtime has no
 * `JSON.rawJSON`.
 *
 * @category decoding
 * @since 0.1.0
 */
export const parseUnsafe = (text: string, onKept?: () => void): unknown =>
  ExactNumber.parseUnsafe(text, onKept, remember)

/**
 * Makes a copy write the numbers of the values that it was made of, where it has them under the same names.
 *
 * @category combinators
 * @since 0.1.0
 */
export const carry = <A extends object>(copy: A, ...from: ReadonlyArray<object | undefined>): A => {
  if (!isInUse) return copy
  for (const source of from) {
    if (source === undefined) continue
    if (beyond.has(source)) beyond.add(copy)
    const texts = remembered.get(source)
    if (texts !== undefined) attach(copy, new Map([...(remembered.get(copy) ?? []), ...texts]))
  }
  return copy
}

/**
 * The text that a member is written with; `undefined` where that is what JavaScript writes.
 *
 * @category accessors
 * @since 0.1.0
 */
export const textOf = (container: object, key: string | number): string | undefined => {
  const exact = remembered.get(container)?.get(String(key))
  return exact !== undefined && isStill(Reflect.get(container, key), exact) ? exact.rawJSON : undefined
}

/**
 * A member as it can stand elsewhere: a number that is written with its text is an `ExactNumber` then.
 *
 * @category accessors
 * @since 0.1.0
 */
export const memberOf = <A extends object, K extends keyof A & string>(container: A, key: K): A[K] => {
  const text = textOf(container, key)
  // It is written as JSON, like the number that it stands for.
  return text === undefined ? container[key] : ExactNumber.fromTextUnsafe(text) as A[K]
}

/**
 * Whether a value that was parsed here holds a number beyond the range of a double, which is infinite in JavaScript.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isBeyondDoubles = (json: unknown): boolean =>
  typeof json === "object" && json !== null && (beyond.has(json) || ExactNumber.isExactNumber(json) && !isFinite(json))

/**
 * The value with the largest double in place of each number that is infinite, for a check that takes JSON; the value itself
 * where there is none.
 *
 * @category accessors
 * @since 0.1.0
 */
export const toFinite = (json: unknown): unknown => {
  if (typeof json === "number") return Number.isFinite(json) ? json : Math.sign(json) * Number.MAX_VALUE
  if (typeof json !== "object" || json === null) return json
  if (Array.isArray(json)) {
    const values = json.map(toFinite)
    return values.every((value, index) => value === json[index]) ? json : values
  }
  const entries = Object.entries(json).map(([key, value]) => [key, toFinite(value), value] as const)
  return entries.every(([, finite, value]) => finite === value) ? json : Object.fromEntries(entries)
}

const isFinite = ({ rawJSON }: ExactNumber.ExactNumber) => Number.isFinite(Number(rawJSON))

/** The name by which `JSON.stringify` asks a value for another one to write. */
const name = "toJSON"

/** Replaces the exact numbers that a new object or array holds by doubles, which it writes with their texts. */
const remember = (container: object): void => {
  let texts: Map<string, ExactNumber.ExactNumber> | undefined
  const look = (key: string, value: unknown): void => {
    if (typeof value !== "object" || value === null) return
    if (isBeyondDoubles(value)) beyond.add(container)
    if (ExactNumber.isExactNumber(value)) (texts ??= new Map()).set(key, value)
  }
  if (Array.isArray(container)) container.forEach((value, index) => look(String(index), value))
  else for (const [key, value] of Object.entries(container)) look(key, value)
  if (texts === undefined) return
  for (const [key, { rawJSON }] of texts) define(container, key, Number(rawJSON))
  attach(container, texts)
}

/** An assignment to `__proto__` would change the prototype. */
const define = (container: object, key: string, value: unknown): void =>
  void Object.defineProperty(container, key, { value, writable: true, enumerable: true, configurable: true })

const attach = (container: object, texts: Texts): void => {
  if (Object.hasOwn(container, name) && !remembered.has(container)) {
    throw new RangeError(`an object with a member \`${name}\` cannot keep the digits of its numbers`)
  }
  isInUse = true
  remembered.set(container, texts)
  Object.defineProperty(container, name, { value: written, writable: true, enumerable: false, configurable: true })
}

function written(this: object): object {
  const copy: object = Array.isArray(this) ? [...this] : { ...this }
  for (const [key, value] of remembered.get(this) ?? []) {
    if (Object.hasOwn(copy, key) && isStill(Reflect.get(copy, key), value)) define(copy, key, value)
  }
  return copy
}

/** Whether a member is the number that its text spells. It may have been changed since. */
const isStill = (value: unknown, { rawJSON }: ExactNumber.ExactNumber): boolean => Object.is(value, Number(rawJSON))
