/**
 * What JSON Schema can say and Effect cannot check. It is kept as an annotation,
 * so that a document loses nothing; the value is not checked for it.
 */
import { nameOf } from "./places.ts"
import type { Draft07 } from "./subschemas.ts"
import { isObject, without } from "./subschemas.ts"
import { marker, plain } from "./vocabulary.ts"

const prefix = "x-parley-unchecked-"

/** An annotation: the keywords, and the components that only they refer to. */
interface Kept {
  readonly schema: Draft07
  readonly components?: { readonly [name: string]: Draft07 }
}

type Components = { readonly [name: string]: Draft07 }

/** @internal */
export const isAnnotation = (keyword: string): boolean => keyword.startsWith(prefix)

/** Whether nothing of a schema is checked. @internal */
export const isWhole = (schema: Draft07): boolean =>
  Object.keys(schema).some(isAnnotation)
  && !["type", "properties", "$ref", "allOf", "anyOf", "oneOf", "const", "enum", "items"].some((keyword) =>
    Object.hasOwn(schema, keyword)
  )

/** Keywords as an annotation. @internal */
export const annotation = (number: number, schema: Draft07, components: Components): Draft07 => {
  const needed = referred(schema, components)
  const kept: Kept = { schema, ...(Object.keys(needed).length > 0 && { components: needed }) }
  return { [`${prefix}${number}`]: kept }
}

/** The keywords where they stood, or beside what is checked. @internal */
export const restore = (schema: Draft07, components: { [name: string]: Draft07 }): Draft07 => {
  const keys = Object.keys(schema).filter(isAnnotation)
  if (keys.length === 0) return schema
  const kept = keys.flatMap((key) => {
    const value = schema[key]
    return isKept(value) ? [value] : []
  })
  for (const { components: referred = {} } of kept) {
    for (const [name, component] of Object.entries(referred)) components[name] = component
  }
  const checked = without(schema, keys)
  const [first, ...others] = kept
  if (first !== undefined && others.length === 0) {
    // Where those keywords have `additionalProperties`, theirs counts.
    const clear = first.schema["additionalProperties"] === undefined
      ? checked
      : without(checked, ["additionalProperties"])
    const whole = { ...clear, ...first.schema }
    if (isReadAgain(whole, clear, first.schema)) return whole
  }
  const all = Array.isArray(checked["allOf"]) ? checked["allOf"] : []
  return { ...checked, allOf: [...all, ...kept.map(({ schema }) => ({ ...schema, [marker]: true }))] }
}

/** Whether reading gives the same keywords as unchecked ones, and no others. */
const isReadAgain = (whole: Draft07, checked: Draft07, kept: Draft07): boolean =>
  Object.entries(kept).every(([keyword, value]) => !Object.hasOwn(checked, keyword) || isEqual(checked[keyword], value))
  && isEqual(sorted(plain(whole, () => false, false).unchecked), sorted(kept))

const sorted = (schema: Draft07) => Object.entries(schema).toSorted(([one], [other]) => one < other ? -1 : 1)

const isEqual = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

const isKept = (value: unknown): value is Kept => isObject(value) && isObject(value["schema"])

/** The components that a schema refers to, and those that they do. */
const referred = (schema: Draft07, components: Components): Components => {
  const found: { [name: string]: Draft07 } = {}
  const visit = (value: unknown): void => {
    for (const name of referencesIn(value)) {
      const component = Object.hasOwn(components, name) ? components[name] : undefined
      if (component === undefined || Object.hasOwn(found, name)) continue
      found[name] = component
      visit(component)
    }
  }
  visit(schema)
  return found
}

const referencesIn = (value: unknown): ReadonlyArray<string> => {
  if (Array.isArray(value)) return value.flatMap(referencesIn)
  if (!isObject(value)) return []
  const name = typeof value["$ref"] === "string" ? nameOf(value["$ref"]) : undefined
  return [...(name === undefined ? [] : [name]), ...Object.values(value).flatMap(referencesIn)]
}
