/**
 * JSON texts as values, and the values that others post as JSON texts.
 *
 * A posted value may be much that JSON is not: dates and maps, cycles, one object
 * in a thousand places, an array of a billion holes. All of that is found before
 * `JSON.stringify` would change it in silence or run out of memory.
 */
import type { BadFrame } from "@parley/protocol/Framing"

/** What is wrong with a value. */
export interface NoText {
  readonly reason: BadFrame["reason"]
  readonly what: string
}

/** The value of a JSON text; `undefined` when it is none. */
export const valueOf = (text: string): { readonly json: unknown } | undefined => {
  try {
    return { json: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/**
 * The JSON text of a value of at most so many UTF-16 units. Members that are `undefined` are left out, as JSON does,
 * but their names count.
 */
export const textOf = (value: unknown, limit: number): string | NoText => {
  const walk = new Walk(limit)
  try {
    walk.visit(value)
    return walk.found ?? JSON.stringify(value)
  } catch {
    // Too deep for the stack, as every cycle is; or a member that throws when it is looked at.
    return { reason: "NotText", what: "(too deep, or not readable)" }
  }
}

/** What a value is called in a log. The digits of a bigint may take minutes to be written. */
export const nameOf = (value: unknown): string => {
  if (typeof value === "bigint") return "bigint"
  return typeof value === "object" && value !== null
    ? Object.prototype.toString.call(value)
    : `${typeof value} ${String(value)}`
}

/** Looks at every part of a value until one is no JSON, or until there are too many. */
class Walk {
  found: NoText | undefined
  private left: number

  constructor(limit: number) {
    this.left = limit
  }

  visit(value: unknown): void {
    switch (typeof value) {
      case "string":
        return this.count(value.length + 2)
      case "boolean":
        return this.count(4)
      case "number":
        return Number.isFinite(value) ? this.count(1) : this.refuse(value)
      case "object":
        return value === null ? this.count(4) : this.visitObject(value)
      default:
        return this.refuse(value)
    }
  }

  private visitObject(value: object): void {
    if (Array.isArray(value)) {
      // Holes count: each would be written.
      this.count(value.length + 1)
      for (let index = 0; index < value.length && this.found === undefined; index++) this.visit(value[index])
      return
    }
    const prototype: unknown = Object.getPrototypeOf(value)
    if (prototype !== null && prototype !== Object.prototype) return this.refuse(value)
    this.count(2)
    for (const [key, member] of Object.entries(value)) {
      if (this.found !== undefined) return
      // What is left out counts as well: it is looked at in each place of an object that stands in many.
      this.count(key.length + 3)
      if (member !== undefined) this.visit(member)
    }
  }

  private count(units: number): void {
    this.left -= units
    if (this.left < 0) this.found ??= { reason: "TooLarge", what: "(an object)" }
  }

  private refuse(value: unknown): void {
    this.found ??= { reason: "NotText", what: nameOf(value) }
  }
}
