/**
 * Reference Objects (OpenRPC, section "Reference Object") in the places where
 * the specification allows them. References in JSON Schemas are not these.
 */
import * as JsonPointer from "effect/JsonPointer"
import * as Result from "effect/Result"
import { OpenRpcError } from "../../OpenRpcError.ts"
import { isObject, mapValues } from "./subschemas.ts"

type Path = ReadonlyArray<string>

/** @internal */
export const pointer = (path: Path): string => JsonPointer.formatUriFragment(path)

/** Where references may stand below an object, by member: one, or a list of them, and so on below them. */
interface Places {
  readonly [member: string]: Places
}

const example: Places = { params: {}, result: {} }

const method: Places = { params: {}, result: {}, errors: {}, examples: example, links: {}, tags: {} }

const document: Places = { methods: method }

/** The document with what its references point to in their places. @internal */
export const resolve = (json: unknown): Result.Result<unknown, OpenRpcError> => {
  const errors: Array<OpenRpcError> = []

  const resolved = (value: unknown, path: Path, places: Places): unknown =>
    Array.isArray(value)
      ? value.map((item, index) => target(item, [...path, `${index}`], places))
      : target(value, path, places)

  const target = (value: unknown, path: Path, places: Places): unknown => {
    const found = followed(json, value)
    if (Result.isFailure(found)) {
      errors.push(
        new OpenRpcError({ path: pointer(path), reason: { _tag: "UnresolvedReference", reference: found.failure } })
      )
      return undefined
    }
    return below(found.success, path, places)
  }

  const below = (value: unknown, path: Path, places: Places): unknown =>
    isObject(value)
      ? mapValues(value, (member, name) => {
        const inner = Object.hasOwn(places, name) ? places[name] : undefined
        return inner === undefined ? member : resolved(member, [...path, name], inner)
      })
      : value

  const whole = below(json, [], document)
  const [first] = errors
  return first === undefined ? Result.succeed(whole) : Result.fail(first)
}

/** Gives a value, or the target of its references, or the first reference that has no target. */
const followed = (json: unknown, value: unknown): Result.Result<unknown, string> => {
  const seen = new Set<string>()
  let current = value
  while (isObject(current) && typeof current["$ref"] === "string") {
    const reference: string = current["$ref"]
    const tokens = reference.startsWith("#") ? JsonPointer.parseUriFragment(reference) : undefined
    const next = tokens === undefined || seen.has(reference) ? undefined : at(json, tokens)
    if (next === undefined) return Result.fail(reference)
    seen.add(reference)
    current = next
  }
  return Result.succeed(current)
}

const at = (json: unknown, tokens: Path): unknown =>
  tokens.reduce<unknown>(
    (value, token) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, token)
        // An own member of an object or an array.
        ? (value as { readonly [name: string]: unknown })[token]
        : undefined,
    json
  )
