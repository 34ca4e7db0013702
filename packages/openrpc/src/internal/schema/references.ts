/**
 * References: Reference Objects (OpenRPC, section "Reference Object") are replaced
 * by what they point to; those of JSON Schemas come to lead to components of the
 * document, wherever they led.
 */
import * as JsonPointer from "effect/JsonPointer"
import * as Result from "effect/Result"
import { OpenRpcError } from "../OpenRpcError.ts"
import { nameOf, type Path, pointer, referenceTo } from "./places.ts"
import { isObject, map, mapValues } from "./subschemas.ts"

/** Where a document is, and others by their addresses. @internal */
export interface Sources {
  readonly base?: string | undefined
  readonly documents?: ReadonlyMap<string, unknown> | undefined
}

/** Where references may stand below an object, by member: one, or a list of them, and so on below them; or a schema. */
interface Places {
  readonly [member: string]: Places | "schema"
}

const descriptor: Places = { schema: "schema" }

const example: Places = { params: {}, result: {} }

const method: Places = {
  params: descriptor,
  result: descriptor,
  errors: { data: "schema" },
  examples: example,
  links: {},
  tags: {},
  "x-parley-params": "schema",
  "x-parley-subscription": { item: "schema" },
  "x-parley-partial": "schema"
}

const document: Places = { methods: { ...method, "x-parley-reverse": method } }

/** A value, and the document that it stands in: its references are relative to that. */
interface Found {
  readonly value: unknown
  readonly address: string
  readonly path: Path
}

/** The document with what its references point to in their places. @internal */
export const resolve = (json: unknown, { base = "", documents }: Sources): Result.Result<unknown, OpenRpcError> => {
  const errors: Array<OpenRpcError> = []
  const root = addressOf(base, "") ?? ""
  const all = new Map<string, unknown>([[root, json]])
  for (const [address, other] of documents ?? []) all.set(addressOf(address, "") ?? address, other)

  const lookUp = (reference: string, from: string): Found | undefined => {
    const at = reference.indexOf("#")
    const address = at === 0 ? from : addressOf(at < 0 ? reference : reference.slice(0, at), from)
    const path = at < 0 ? [] : JsonPointer.parseUriFragment(reference.slice(at))
    const value = address === undefined || path === undefined ? undefined : valueAt(all.get(address), path)
    return address === undefined || path === undefined || value === undefined ? undefined : { value, address, path }
  }

  const components = makeComponents(json, root, lookUp)

  /** Gives a value, or the target of its references, or the first reference that has no target. */
  const followed = (value: unknown, address: string): Result.Result<Found, string> => {
    const seen = new Set<unknown>()
    let current: Found = { value, address, path: [] }
    while (isObject(current.value) && typeof current.value["$ref"] === "string") {
      const reference: string = current.value["$ref"]
      const next = seen.has(current.value) ? undefined : lookUp(reference, current.address)
      if (next === undefined) return Result.fail(reference)
      seen.add(current.value)
      current = next
    }
    return Result.succeed(current)
  }

  const resolved = (value: unknown, address: string, path: Path, places: Places): unknown =>
    Array.isArray(value)
      ? value.map((item, index) => target(item, address, [...path, `${index}`], places))
      : target(value, address, path, places)

  const target = (value: unknown, address: string, path: Path, places: Places): unknown => {
    const found = followed(value, address)
    if (Result.isSuccess(found)) return below(found.success.value, found.success.address, path, places)
    errors.push(
      new OpenRpcError({ path: pointer(path), reason: { _tag: "UnresolvedReference", reference: found.failure } })
    )
    return undefined
  }

  const below = (value: unknown, address: string, path: Path, places: Places): unknown =>
    isObject(value)
      ? mapValues(value, (member, name) => {
        const inner = Object.hasOwn(places, name) ? places[name] : undefined
        if (inner === undefined) return member
        return inner === "schema" ? linked(member, address) : resolved(member, address, [...path, name], inner)
      })
      : value

  /** A schema whose references lead to components. What leads nowhere stays, and is refused where it is needed. */
  const linked = (schema: unknown, address: string): unknown =>
    isObject(schema)
      ? map(schema, (inner) => {
        const reference = inner["$ref"]
        if (typeof reference !== "string" || (address === root && nameOf(reference) !== undefined)) return inner
        const found = lookUp(reference, address)
        return found === undefined ? inner : { ...inner, $ref: referenceTo(components.take(found)) }
      })
      : schema

  const whole = below(json, root, [], document)
  const [first] = errors
  if (first !== undefined) return Result.fail(first)
  return Result.succeed(isObject(whole) ? components.link(whole, linked) : whole)
}

/** The components of a document, and those that come to it. */
const makeComponents = (
  json: unknown,
  root: string,
  lookUp: (reference: string, from: string) => Found | undefined
) => {
  const given = schemasOf(json)
  const used = new Set(Object.keys(given))
  const names = new Map<string, string>()
  const waiting: Array<readonly [name: string, found: Found]> = []
  const keyOf = ({ address, path }: Found) => `${address}${pointer(path)}`

  const name = (found: Found, name: string): string => {
    used.add(name)
    names.set(keyOf(found), name)
    waiting.push([name, found])
    return name
  }

  // A component that is only a reference to another document is what that leads to, by its name here.
  for (const [own, schema] of Object.entries(given)) {
    const reference = isObject(schema) ? schema["$ref"] : undefined
    const found = typeof reference === "string" ? lookUp(reference, root) : undefined
    if (found !== undefined && found.address !== root && !names.has(keyOf(found))) name(found, own)
  }

  const take = (found: Found): string => {
    const own = found.address === root ? nameOf(pointer(found.path)) : undefined
    const known = own ?? names.get(keyOf(found))
    if (known !== undefined) return known
    const wanted = found.path.at(-1) ?? titleOf(found.address)
    let candidate = wanted
    for (let suffix = 2; used.has(candidate); suffix++) candidate = `${wanted}_${suffix}`
    return name(found, candidate)
  }

  const link = (
    whole: { readonly [name: string]: unknown },
    linked: (schema: unknown, address: string) => unknown
  ): unknown => {
    const schemas = new Map(Object.entries(given))
    const elsewhere = new Set(waiting.map(([name]) => name))
    for (const [name, schema] of schemas) if (!elsewhere.has(name)) schemas.set(name, linked(schema, root))
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [name, { address, value }] = next
      schemas.set(name, linked(value, address))
    }
    if (schemas.size === 0) return whole
    const components = whole["components"]
    return { ...whole, components: { ...(isObject(components) && components), schemas: Object.fromEntries(schemas) } }
  }

  return { take, link }
}

const schemasOf = (json: unknown): { readonly [name: string]: unknown } => {
  const components = isObject(json) ? json["components"] : undefined
  const schemas = isObject(components) ? components["schemas"] : undefined
  return isObject(schemas) ? schemas : {}
}

/** Without its fragment; `undefined` where it is relative to nothing. */
const addressOf = (address: string, base: string): string | undefined => {
  if (address === "") return base
  const url = URL.canParse(address)
    ? new URL(address)
    : URL.canParse(address, base)
    ? new URL(address, base)
    : undefined
  if (url !== undefined) url.hash = ""
  return url?.href
}

/** The addresses of other documents that a document refers to, in their order. @internal */
export const addressesIn = (json: unknown, base: string): ReadonlyArray<string> => {
  const root = addressOf(base, "") ?? base
  const found = new Set<string>()
  const waiting: Array<unknown> = [json]
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (typeof value !== "object" || value === null) continue
    for (const [name, member] of Object.entries(value).toReversed()) {
      const address = name === "$ref" && typeof member === "string"
        ? addressOf(member.split("#", 1)[0] ?? "", root)
        : undefined
      if (address !== undefined && address !== root) found.add(address)
      waiting.push(member)
    }
  }
  return [...found]
}

const valueAt = (json: unknown, tokens: Path): unknown =>
  tokens.reduce<unknown>(
    (value, token) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, token)
        // An own member of an object or an array.
        ? (value as { readonly [name: string]: unknown })[token]
        : undefined,
    json
  )

/** What a document is called, without its folder and the endings of its name. */
const titleOf = (address: string): string => {
  const [title = "", ...rest] = address.slice(address.lastIndexOf("/") + 1).split(".")
  while (/^[a-z]+$/i.test(rest.at(-1) ?? "")) rest.pop()
  return [title, ...rest].join(".") || "Schema"
}
