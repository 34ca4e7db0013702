/** Values that a side sends which knows no members but those that its schemas speak of. */
import { Pattern } from "@parley/json-schema"
import { Result, type Schema } from "effect"
import type { Dice } from "./RandomSchema.ts"

type Json = Schema.Json

interface Keywords {
  readonly [keyword: string]: Json
}

const isObject = (json: Json | undefined): json is Keywords =>
  typeof json === "object" && json !== null && !Array.isArray(json)

const listOf = (json: Json | undefined): ReadonlyArray<Json> => Array.isArray(json) ? json : []

const numbers = [0, 1, 2, -1, 7, 100, 0.5, 65_536, 1e9]

const texts = ["", "a", "b", "abc", "0x0", "0x1f", "latest", "text", "https://example.org/"]

export class SentValues {
  readonly #root: Json
  readonly #dice: Dice
  readonly #targets = new Map<string, Json>()
  readonly #patterns = new Map<string, Pattern.Pattern | undefined>()

  constructor(root: Json, dice: Dice) {
    this.#root = root
    this.#dice = dice
  }

  /** A value of a schema, as far as it can be written; whoever needs one that fits has to check it. */
  write(schema: Json, depth = 0): Json {
    const parts = this.#parts(schema, depth)
    for (const part of parts) {
      if (Object.hasOwn(part, "const")) return part["const"] ?? null
      if (Array.isArray(part["enum"])) return this.#dice.one(part["enum"])
    }
    const types = parts.map((part) => part["type"]).filter((type) => type !== undefined)
    const type = types.length > 0
      ? this.#dice.one(types.map((type) => Array.isArray(type) ? this.#dice.one(type) : type))
      : parts.some((part) => Object.hasOwn(part, "properties"))
      ? "object"
      : this.#dice.one(["null", "boolean", "integer", "string", "object"])
    switch (type) {
      case "null":
        return null
      case "boolean":
        return this.#dice.chance(50)
      case "integer":
        return Math.round(this.#number(parts))
      case "number":
        return this.#number(parts)
      case "array":
        return this.#array(parts, depth)
      case "object":
        return this.#object(parts, depth)
      default:
        return this.#text(parts)
    }
  }

  /** The schemas that hold at once: references are followed, and one of each union is taken. */
  #parts(schema: Json, depth: number): ReadonlyArray<Keywords> {
    if (!isObject(schema) || depth > 64) return []
    const reference = schema["$ref"]
    return [
      schema,
      ...typeof reference === "string" ? this.#parts(this.#at(reference), depth + 1) : [],
      ...listOf(schema["allOf"]).flatMap((part) => this.#parts(part, depth + 1)),
      ...["anyOf", "oneOf"].flatMap((keyword) => {
        const union = listOf(schema[keyword])
        return union.length === 0 ? [] : this.#parts(this.#dice.one(union), depth + 1)
      })
    ]
  }

  #at(reference: string): Json {
    const known = this.#targets.get(reference)
    if (known !== undefined) return known
    const target = reference.slice(2).split("/").reduce<Json>((json, token) => {
      const key = token.replaceAll("~1", "/").replaceAll("~0", "~")
      return isObject(json) ? json[key] ?? {} : listOf(json)[Number(key)] ?? {}
    }, this.#root)
    this.#targets.set(reference, target)
    return target
  }

  #number(parts: ReadonlyArray<Keywords>): number {
    const bounds = parts.flatMap((part) =>
      ["minimum", "maximum"].flatMap((keyword) => typeof part[keyword] === "number" ? [part[keyword]] : [])
    )
    return this.#dice.one([...numbers, ...bounds, ...bounds])
  }

  #text(parts: ReadonlyArray<Keywords>): string {
    const pattern = parts.map((part) => part["pattern"]).find((pattern) => typeof pattern === "string")
    if (pattern === undefined) return this.#dice.one(texts)
    if (!this.#patterns.has(pattern)) this.#patterns.set(pattern, Result.getOrUndefined(Pattern.make(pattern)))
    return this.#patterns.get(pattern)?.example((count) => this.#dice.below(count)) ?? ""
  }

  #array(parts: ReadonlyArray<Keywords>, depth: number): Json {
    const items = parts.map((part) => part["items"]).find((items) => items !== undefined)
    if (Array.isArray(items)) {
      const least = Math.max(0, ...parts.map((part) => typeof part["minItems"] === "number" ? part["minItems"] : 0))
      const count = least + this.#dice.below(items.length - least + 1)
      return items.slice(0, count).map((item) => this.write(item, depth + 1))
    }
    const least = parts.some((part) => typeof part["minItems"] === "number" && part["minItems"] > 0) ? 1 : 0
    const count = depth > 6 ? least : least + this.#dice.below(3)
    return Array.from({ length: count }, () => this.write(items ?? {}, depth + 1))
  }

  #object(parts: ReadonlyArray<Keywords>, depth: number): Json {
    const required = new Set(parts.flatMap((part) => listOf(part["required"])))
    const percent = depth > 6 ? 0 : 40
    return Object.fromEntries(
      parts.flatMap(({ properties }) =>
        Object.entries(isObject(properties) ? properties : {}).flatMap(([name, schema]) =>
          required.has(name) || this.#dice.chance(percent) ? [[name, this.write(schema, depth + 1)]] : []
        )
      )
    )
  }
}
