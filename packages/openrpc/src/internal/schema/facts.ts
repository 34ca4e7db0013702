/**
 * What can be told of shapes without a value: whether two of them exclude each
 * other, and whether they describe one member in two ways.
 */
import type { Part, Shape, Shapes } from "./shapes.ts"
import { isObject } from "./subschemas.ts"

const allTypes = ["null", "boolean", "number", "string", "array", "object"]

const typeOf = (value: unknown): string => value === null ? "null" : Array.isArray(value) ? "array" : typeof value

/** @internal */
export interface Facts {
  /** The types that a value may have, of JSON. */
  readonly types: (shape: Shape) => ReadonlySet<string>
  /** Whether no value fits both. */
  readonly exclude: (one: Shape, other: Shape) => boolean
  /** Whether a value that fits both might lose something if it is read as one of them. */
  readonly overlap: (one: Shape, other: Shape) => boolean
  /** Whether some member or item is described in two ways, of which one may leave out what the other describes. */
  readonly disagree: (shapes: ReadonlyArray<Shape>) => boolean
}

/** @internal */
export const make = (shapes: Shapes): Facts => {
  const visiting = new Set<string>()
  const known = new Map<string, ReadonlySet<string>>()

  const inside = <A>(name: string, instead: A, look: (shape: Shape) => A): A => {
    if (visiting.has(name)) return instead
    visiting.add(name)
    const result = look(shapes.ofComponent(name))
    visiting.delete(name)
    return result
  }

  const types = (shape: Shape): ReadonlySet<string> =>
    shape._tag === "Any"
      ? new Set(shape.members.flatMap((member) => [...types(member)]))
      : shape.parts.map(typesOf).reduce((left, right) => new Set([...left].filter((type) => right.has(type))), every)

  const typesOf = ({ read, reference }: Part): ReadonlySet<string> => {
    const { enum: values, type } = read
    const said = Object.hasOwn(read, "const") ? [read["const"]] : Array.isArray(values) ? values : undefined
    const named = type === undefined ? allTypes : Array.isArray(type) ? type : [type]
    const own = new Set<string>(named.map((type) => type === "integer" ? "number" : String(type)))
    const referred = reference === undefined ? every : typesOfComponent(reference)
    const valued = said === undefined ? every : new Set(said.map(typeOf))
    return new Set([...own].filter((type) => referred.has(type) && valued.has(type)))
  }

  const typesOfComponent = (name: string): ReadonlySet<string> => {
    const found = known.get(name) ?? inside(name, every, types)
    if (visiting.size === 0) known.set(name, found)
    return found
  }

  /** Members that must be there and have one of some values. */
  const tags = (shape: Shape): ReadonlyMap<string, ReadonlySet<unknown>> => {
    if (shape._tag === "Any") {
      const [first, ...others] = shape.members.map(tags)
      return new Map(
        [...first ?? []].flatMap(([name, values]) => {
          const more = others.map((other) => other.get(name))
          return more.includes(undefined)
            ? []
            : [[name, new Set([...values, ...more.flatMap((other) => [...other ?? []])])] as const]
        })
      )
    }
    const required = new Set(shape.parts.flatMap(({ read }) => Array.isArray(read["required"]) ? read["required"] : []))
    return new Map(shape.parts.flatMap(({ read: { properties }, reference }) => [
      ...Object.entries(isObject(properties) ? properties : {}).flatMap(([name, property]) => {
        const values = required.has(name) ? valuesOf(shapes.of(property, [])) : undefined
        return values === undefined ? [] : [[name, values] as const]
      }),
      ...(reference === undefined ? [] : inside(reference, [], (shape) => [...tags(shape)]))
    ]))
  }

  const valuesOf = (shape: Shape): ReadonlySet<unknown> | undefined => {
    if (shape._tag === "Any") {
      const all = shape.members.map(valuesOf)
      return all.includes(undefined) ? undefined : new Set(all.flatMap((values) => [...values ?? []]))
    }
    for (const { read, reference } of shape.parts) {
      if (Object.hasOwn(read, "const")) return new Set([read["const"]])
      if (Array.isArray(read["enum"])) return new Set(read["enum"])
      const referred = reference === undefined ? undefined : inside(reference, undefined, valuesOf)
      if (referred !== undefined) return referred
    }
    return undefined
  }

  const tell = (one: Shape, other: Shape): boolean => {
    const others = tags(other)
    return [...tags(one)].some(([name, values]) => {
      const more = others.get(name)
      return more !== undefined && ![...values].some((value) => more.has(value))
    })
  }

  const common = (one: Shape, other: Shape): ReadonlyArray<string> => {
    const others = types(other)
    return [...types(one)].filter((type) => others.has(type))
  }

  const exclude = (one: Shape, other: Shape): boolean => {
    const both = common(one, other)
    return both.length === 0 || (both.every((type) => type === "object") && tell(one, other))
  }

  const overlap = (one: Shape, other: Shape): boolean => {
    const both = common(one, other)
    return both.includes("array") || (both.includes("object") && !tell(one, other))
  }

  const disagree = (all: ReadonlyArray<Shape>): boolean => {
    const ways = new Map<string, Set<string>>()
    const describe = (name: string, schema: unknown): void => {
      if (schema === undefined || shapes.isLossless(schema)) return
      const known = ways.get(name) ?? new Set()
      ways.set(name, known.add(JSON.stringify(schema)))
    }
    const seen = new Set<string>()
    const look = (shape: Shape): void => {
      if (shape._tag === "Any") return shape.members.forEach(look)
      for (const { hidden, read, reference } of shape.parts) {
        const { additionalProperties, items, patternProperties, prefixItems, properties } = read
        for (const [name, schema] of entries(properties)) describe(`.${name}`, schema)
        for (const [, schema] of entries(patternProperties)) describe("*", schema)
        for (const schema of Array.isArray(prefixItems) ? prefixItems : []) describe("[]", schema)
        describe("*", additionalProperties)
        describe("[]", items)
        for (const schema of hidden) look(shapes.of(schema, []))
        if (reference !== undefined && !seen.has(reference)) {
          seen.add(reference)
          look(shapes.ofComponent(reference))
        }
      }
    }
    all.forEach(look)
    const any = ways.get("*") ?? new Set()
    return any.size > 1 ||
      [...ways].some(([name, found]) =>
        found.size > 1 || (name !== "[]" && any.size > 0 && [...found].some((way) => !any.has(way)))
      )
  }

  return { types, exclude, overlap, disagree }
}

const every: ReadonlySet<string> = new Set(allTypes)

const entries = (value: unknown): ReadonlyArray<readonly [string, unknown]> =>
  Object.entries(isObject(value) ? value : {})
