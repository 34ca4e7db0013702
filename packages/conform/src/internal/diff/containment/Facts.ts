/**
 * The facts that are known of a value of one kind: the demands of the keywords of schemas, in the terms of that kind. An
 * alternative that is left, such as a branch of `anyOf`, is a choice.
 */
import { JsonObject } from "@parley/protocol/shared"
import type * as Schema from "effect/Schema"
import { both, type Goal } from "./Goal.ts"
import type { SchemaNode } from "./SchemaNode.ts"

/** The kinds of JSON values. An integer is a number. */
export const kinds = ["null", "boolean", "number", "string", "array", "object"] as const

export type Kind = (typeof kinds)[number]

export const kindOf = (value: Schema.Json): Kind =>
  value === null
    ? "null"
    : JsonObject.isArray(value)
    ? "array"
    : typeof value === "object"
    ? "object"
    // A value that is neither is one of these.
    : typeof value as "boolean" | "number" | "string"

/** Adds to the facts; `false` where that contradicts them. */
export type Alternative = (facts: Facts) => boolean

/** One of the alternatives holds. */
export interface Choice {
  /** The schema that a value must not fit, where the alternatives are the ways not to. */
  readonly misfit: SchemaNode | undefined
  readonly alternatives: ReadonlyArray<Alternative>
}

/** Some member whose name is none of those, and whose name and value are as asked. */
export interface SomeMember {
  readonly except: ReadonlySet<string>
  readonly exceptPatterns: ReadonlyArray<string>
  readonly pattern: string | undefined
  readonly name: Goal
  readonly value: Goal
}

/** Some item at or behind a place. Items of one group are different ones. */
export interface SomeItem {
  readonly from: number
  readonly goal: Goal
  readonly group: number | undefined
}

export class Facts {
  readonly kind: Kind
  /** The values that are left, where a schema lists them. */
  values: ReadonlyArray<Schema.Json> | undefined
  excluded: ReadonlyArray<Schema.Json> = []
  fits: ReadonlyArray<SchemaNode> = []
  misfits: ReadonlyArray<SchemaNode> = []
  choices: ReadonlyArray<Choice> = []
  /** Unions that a value must not fit: they are looked at when it is known what the value is. */
  unions: ReadonlyArray<SchemaNode> = []

  /** Of numbers. */
  least = -Infinity
  most = Infinity
  isAboveLeast = false
  isBelowMost = false
  isInteger = false
  isFraction = false
  factors: ReadonlyArray<number> = []
  nonFactors: ReadonlyArray<number> = []

  /** Of texts, and how many characters, items or members there are. */
  fewest = 0
  mostParts = Infinity
  patterns: ReadonlyArray<string> = []
  nonPatterns: ReadonlyArray<string> = []

  /** Of objects. */
  objects: ReadonlyArray<SchemaNode> = []
  names: ReadonlyArray<SchemaNode> = []
  required: ReadonlySet<string> = new Set()
  absent: ReadonlySet<string> = new Set()
  members: ReadonlyMap<string, Goal> = new Map()
  someMembers: ReadonlyArray<SomeMember> = []
  dependents: ReadonlyArray<readonly [key: string, keys: ReadonlyArray<string>]> = []

  /** Of arrays. */
  arrays: ReadonlyArray<SchemaNode> = []
  everyItem: ReadonlyArray<SchemaNode> = []
  items: ReadonlyMap<number, Goal> = new Map()
  someItems: ReadonlyArray<SomeItem> = []
  isUnique = false
  isRepeated = false

  constructor(kind: Kind) {
    this.kind = kind
  }

  /** All parts are replaced and never changed, so that a shallow copy is one of its own. */
  copy(): Facts {
    return Object.assign(new Facts(this.kind), this)
  }

  restrict(values: ReadonlyArray<Schema.Json>): boolean {
    const mine = values.filter((value) => kindOf(value) === this.kind)
    const texts = new Set(mine.map(JsonObject.canonical))
    this.values = this.values === undefined
      ? mine
      : this.values.filter((value) => texts.has(JsonObject.canonical(value)))
    return this.values.length > 0
  }

  exclude(values: ReadonlyArray<Schema.Json>): boolean {
    this.excluded = [...this.excluded, ...values.filter((value) => kindOf(value) === this.kind)]
    return true
  }

  atLeast(limit: number, isExclusive: boolean): boolean {
    if (limit > this.least || (limit === this.least && isExclusive)) {
      this.least = limit
      this.isAboveLeast = isExclusive
    }
    return this.#hasNumbers()
  }

  atMost(limit: number, isExclusive: boolean): boolean {
    if (limit < this.most || (limit === this.most && isExclusive)) {
      this.most = limit
      this.isBelowMost = isExclusive
    }
    return this.#hasNumbers()
  }

  #hasNumbers(): boolean {
    return this.least < this.most || (this.least === this.most && !this.isAboveLeast && !this.isBelowMost)
  }

  counting(fewest: number, most: number): boolean {
    this.fewest = Math.max(this.fewest, Math.ceil(fewest))
    this.mostParts = Math.min(this.mostParts, Math.floor(most))
    return this.fewest <= this.mostParts
  }

  require(keys: Iterable<string>): boolean {
    this.required = new Set([...this.required, ...keys])
    return ![...this.required].some((key) => this.absent.has(key))
  }

  forbid(key: string): boolean {
    this.absent = new Set([...this.absent, key])
    return !this.required.has(key)
  }

  member(key: string, goal: Goal): boolean {
    const before = this.members.get(key)
    this.members = new Map([...this.members, [key, before === undefined ? goal : both(before, goal)]])
    return this.require([key])
  }

  item(index: number, goal: Goal): boolean {
    const before = this.items.get(index)
    this.items = new Map([...this.items, [index, before === undefined ? goal : both(before, goal)]])
    return this.counting(index + 1, Infinity)
  }
}
