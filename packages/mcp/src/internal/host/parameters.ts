/**
 * The input schema of a tool as models take it. OpenAI and Anthropic refuse a root that is no plain object: choices at the
 * root, or a reference. OpenAI refuses a list without `items`, too. The schema that is written here requires no member that the schema of
 * the server does not require, and has each member as a part of the schema has it; the server checks the arguments.
 */
import * as Subschemas from "@parley/json-schema/Subschemas"
import { JsonObject } from "@parley/protocol/shared"
import type * as Schema from "effect/Schema"
import type { ObjectSchema } from "../../payload/Listing.ts"

type Keywords = Subschemas.Keywords

/** The parameters of a tool, from its input schema. */
export const parametersOf = (schema: ObjectSchema): Schema.JsonObject => {
  // `unevaluatedProperties` counts what the parts have evaluated, and goes with them.
  const root = JsonObject.omit(schema, ...parts)
  const { properties, required } = membersOf(schema)
  const whole = {
    ...root,
    properties: Object.fromEntries(Array.from(properties, ([name, all]) => [name, oneOf(all)])),
    ...(required.size > 0 && { required: [...required] })
  }
  const withoutLost = (part: Keywords): Keywords =>
    typeof part["$ref"] === "string" && part["$ref"] !== "#" && referredBy(whole, part["$ref"]) === undefined
      ? {}
      : part
  // Each part of a schema of JSON is JSON.
  return Subschemas.map(whole, (part) => withItems(withoutLost(part))) as Schema.JsonObject
}

/** The keywords that no root may have for models, and the one that looks at them. */
const parts = ["$ref", "allOf", "anyOf", "oneOf", "not", "enum", "const", "unevaluatedProperties"] as const

/**
 * What is looked at in the parts of a root: each part, each entry of its lists, each member, and each member again where a
 * choice passes it on. The schema is a stranger's, and a short one may refer to the same part very often.
 */
const mostLooks = 16_384

/** Parts within parts: a reference and a member of a list lead one level down. */
const mostLevels = 64

/** The properties that an object may have, with what each part of a schema says of them, and those that it must have. */
interface Members {
  readonly properties: Map<string, Set<unknown>>
  readonly required: Set<string>
  /** The parts that have added their members. */
  readonly parts: Set<Keywords>
  /** The members that an object has in any case, where these are those of a choice. */
  readonly around: Members | undefined
}

const none = (around?: Members): Members => ({ properties: new Map(), required: new Set(), parts: new Set(), around })

const membersOf = (root: Keywords): Members => {
  let left = mostLooks
  // Each reference is followed once, because it may be as long as the schema.
  const targets = new Map<unknown, Keywords | undefined>()
  const targetOf = (ref: unknown): Keywords | undefined => {
    if (!targets.has(ref)) targets.set(ref, referredBy(root, ref))
    return targets.get(ref)
  }
  const add = (members: Members, part: unknown, level: number): void => {
    if (left <= 0 || level > mostLevels || !JsonObject.isObject(part) || has(members, part)) return
    members.parts.add(part)
    const properties = entriesOf(part["properties"])
    const required = listOf(part["required"])
    const all = listOf(part["allOf"])
    const choices = [listOf(part["anyOf"]), listOf(part["oneOf"])]
    left -= 1 + [properties, required, all, ...choices].reduce((sum, { length }) => sum + length, 0)
    for (const [name, schema] of properties) propertyOf(members, name).add(schema)
    for (const name of required) if (typeof name === "string") members.required.add(name)
    for (const one of [targetOf(part["$ref"]), ...all]) add(members, one, level + 1)
    for (const choice of choices) {
      // A branch that is not looked at requires nothing, and so does the choice then.
      let common: ReadonlySet<string> | undefined
      for (const one of choice) {
        const branch = none(members)
        add(branch, one, level + 1)
        left -= branch.properties.size + branch.required.size
        for (const [name, schemas] of branch.properties) {
          for (const schema of schemas) propertyOf(members, name).add(schema)
        }
        common = common === undefined ? branch.required : inBoth(common, branch.required)
      }
      for (const name of common ?? []) members.required.add(name)
    }
  }
  const members = none()
  add(members, root, 0)
  return members
}

const inBoth = (one: ReadonlySet<string>, other: ReadonlySet<string>): ReadonlySet<string> =>
  new Set([...one].filter((name) => other.has(name)))

/** Whether a part says nothing new here: it has been added, or what is around has it, and adds its members itself. */
const has = ({ around, parts }: Members, part: Keywords): boolean =>
  parts.has(part) || (around !== undefined && has(around, part))

const propertyOf = ({ properties }: Members, name: string): Set<unknown> => {
  const known = properties.get(name)
  if (known !== undefined) return known
  const added = new Set<unknown>()
  properties.set(name, added)
  return added
}

/** A property that several parts of the root have is any of what they say. */
const oneOf = (all: ReadonlySet<unknown>): unknown => {
  if (all.size > mostKinds) return {}
  const different = [...new Map([...all].map((schema) => [JSON.stringify(schema), schema])).values()]
  return different.length === 1 ? different[0] : { anyOf: different }
}

/** Schemas that a property has in different parts. */
const mostKinds = 16

const withItems = (schema: Keywords): Keywords =>
  listOf(schema["type"]).concat(schema["type"]).includes("array") && !Object.hasOwn(schema, "items") &&
    !Object.hasOwn(schema, "prefixItems")
    ? { ...schema, items: {} }
    : schema

/** The schema that a reference within the same schema names. */
const referredBy = (root: Keywords, ref: unknown): Keywords | undefined => {
  if (typeof ref !== "string" || !ref.startsWith("#/")) return undefined
  const at = Subschemas.unescaped(ref.slice(2)).split("/").reduce<unknown>((schema, token) => {
    const key = Subschemas.keyOf(token)
    return typeof schema === "object" && schema !== null && Object.hasOwn(schema, key)
      // It has the member.
      ? (schema as Keywords)[key]
      : undefined
  }, root)
  return JsonObject.isObject(at) ? at : undefined
}

const listOf = (value: unknown): ReadonlyArray<unknown> => Array.isArray(value) ? value : []

const entriesOf = (value: unknown): ReadonlyArray<readonly [string, unknown]> =>
  JsonObject.isObject(value) ? Object.entries(value) : []
