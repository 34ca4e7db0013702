/** Schemas and values of a small world, so that values often fit: the same for the same seed. */
import type { Schema } from "effect"

/** Numbers from a seed (mulberry32). */
export class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = seed | 0
  }

  /** A number from 0, below a limit. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return (((t ^ (t >>> 14)) >>> 0) % limit)
  }

  one<A>(items: ReadonlyArray<A>): A {
    // There is an item at each place below the length.
    return items[this.below(items.length)] as A
  }

  chance(percent: number): boolean {
    return this.below(100) < percent
  }

  some<A>(items: ReadonlyArray<A>, percent = 50): ReadonlyArray<A> {
    return items.filter(() => this.chance(percent))
  }
}

const texts = ["", "a", "b", "ab", "ba", "abc"]
const numbers = [-1, 0, 0.5, 1, 2, 3, 4, 6, 12]
const keys = ["a", "b", "ab", "c"]
const patterns = ["^a", "b$", "^[ab]*$", "c"]

/** A value that is at most so deep. */
export const value = (dice: Dice, depth: number): Schema.Json => {
  switch (dice.below(depth > 0 ? 8 : 5)) {
    case 0:
      return null
    case 1:
      return dice.chance(50)
    case 2:
    case 3:
      return dice.one(numbers)
    case 4:
      return dice.one(texts)
    case 5:
      return Array.from({ length: dice.below(4) }, () => value(dice, depth - 1))
    default:
      return Object.fromEntries(dice.some(keys).map((key) => [key, value(dice, depth - 1)]))
  }
}

/** A schema that is at most so deep. References lead to `#/$defs/A` and `#/$defs/B`. */
export const schema = (dice: Dice, depth: number): Schema.Json => {
  if (dice.chance(4)) return dice.chance(70)
  if (depth > 0 && dice.chance(30)) return combined(dice, depth - 1)
  switch (dice.below(depth > 0 ? 7 : 5)) {
    case 0:
      return { enum: Array.from({ length: 1 + dice.below(3) }, () => value(dice, 1)) }
    case 1:
      return { type: dice.one(["null", "boolean", "string", "number", "integer"]) }
    case 2:
      return { ...typed(dice, ["number", "integer"]), ...number(dice) }
    case 3:
      return { ...typed(dice, ["string"]), ...text(dice) }
    case 4:
      return { type: dice.some(["null", "boolean", "integer", "string", "array", "object"]).concat("string") }
    case 5:
      return { ...typed(dice, ["array"]), ...array(dice, depth - 1) }
    default:
      return { ...typed(dice, ["object"]), ...object(dice, depth - 1) }
  }
}

const typed = (dice: Dice, types: ReadonlyArray<string>): Schema.JsonObject =>
  dice.chance(80) ? { type: dice.one(types) } : {}

const combined = (dice: Dice, depth: number): Schema.JsonObject => {
  const list = () => Array.from({ length: 1 + dice.below(3) }, () => schema(dice, depth))
  switch (dice.below(8)) {
    case 0:
      return { allOf: list() }
    case 1:
    case 2:
      return { anyOf: list() }
    case 3:
      return { oneOf: list() }
    case 4:
      return { not: schema(dice, depth) }
    case 5:
      return {
        if: schema(dice, depth),
        ...dice.chance(70) && { then: schema(dice, depth) },
        ...dice.chance(70) && { else: schema(dice, depth) }
      }
    default:
      return { $ref: dice.one(["#/$defs/A", "#/$defs/B"]) }
  }
}

const number = (dice: Dice): Schema.JsonObject => ({
  ...dice.chance(40) && { minimum: dice.one(numbers) },
  ...dice.chance(40) && { maximum: dice.one(numbers) },
  ...dice.chance(15) && { exclusiveMinimum: dice.one(numbers) },
  ...dice.chance(15) && { exclusiveMaximum: dice.one(numbers) },
  ...dice.chance(25) && { multipleOf: dice.one([1, 2, 3, 0.5]) }
})

const text = (dice: Dice): Schema.JsonObject => ({
  ...dice.chance(40) && { minLength: dice.below(3) },
  ...dice.chance(40) && { maxLength: dice.below(4) },
  ...dice.chance(40) && { pattern: dice.one(patterns) }
})

const array = (dice: Dice, depth: number): Schema.JsonObject => ({
  ...dice.chance(30) && { prefixItems: Array.from({ length: 1 + dice.below(2) }, () => schema(dice, depth)) },
  ...dice.chance(50) && { items: schema(dice, depth) },
  ...dice.chance(25) && { minItems: dice.below(3) },
  ...dice.chance(25) && { maxItems: dice.below(4) },
  ...dice.chance(15) && { uniqueItems: true },
  ...dice.chance(15) && { contains: schema(dice, depth), ...dice.chance(30) && { minContains: dice.below(3) } }
})

const object = (dice: Dice, depth: number): Schema.JsonObject => ({
  ...dice.chance(80) && {
    properties: Object.fromEntries(dice.some(keys).map((key) => [key, schema(dice, depth)]))
  },
  ...dice.chance(50) && { required: dice.some(keys, 30) },
  ...dice.chance(35) && { additionalProperties: dice.chance(60) ? false : schema(dice, depth) },
  ...dice.chance(20) && { patternProperties: { [dice.one(patterns)]: schema(dice, depth) } },
  ...dice.chance(10) && { propertyNames: { pattern: dice.one(patterns) } },
  ...dice.chance(15) && { minProperties: dice.below(3) },
  ...dice.chance(15) && { maxProperties: dice.below(4) },
  ...dice.chance(10) && { dependentRequired: { [dice.one(keys)]: [dice.one(keys)] } },
  ...dice.chance(10) && { dependentSchemas: { [dice.one(keys)]: schema(dice, depth) } }
})

/** A whole schema with its definitions. */
export const whole = (dice: Dice): Schema.JsonObject => ({
  $defs: { A: schema(dice, 2), B: schema(dice, 2) },
  allOf: [schema(dice, 2)]
})

/** The same with a part of it changed: a keyword is dropped, a number moved, or a schema replaced. */
export const changed = (dice: Dice, json: Schema.Json): Schema.Json => {
  if (Array.isArray(json)) {
    return json.length === 0
      ? json
      : json.with(dice.below(json.length), changed(dice, dice.one(json)))
  }
  if (typeof json === "number") return json + dice.one([-1, 1])
  if (typeof json === "boolean") return !json
  if (typeof json !== "object" || json === null) return json
  const entries = Object.entries(json)
  if (entries.length === 0 || dice.chance(10)) return schema(dice, 1)
  const [key, inner] = dice.one(entries)
  if (key === "$ref" || key === "type" || dice.chance(15)) {
    return Object.fromEntries(entries.filter(([other]) => other !== key || key === "$ref"))
  }
  return { ...json, [key]: changed(dice, inner) }
}
