/**
 * References of JSON Schemas to components: where they lead, and whether a value
 * is ever reached.
 */
import * as Result from "effect/Result"
import { OpenRpcError } from "../OpenRpcError.ts"
import { nameOf, pointer } from "../schema/places.ts"
import { type Draft07, isObject, map } from "../schema/subschemas.ts"

type Components = { readonly [name: string]: Draft07 }
type Located = readonly [path: ReadonlyArray<string>, schema: Draft07]

/** The first reference that leads nowhere, or the first component that leads to itself. @internal */
export const check = (schemas: ReadonlyArray<Located>, components: Components): Result.Result<void, OpenRpcError> => {
  const named = Object.entries(components).map(([name, schema]): Located => [["components", "schemas", name], schema])
  for (const [path, schema] of [...schemas, ...named]) {
    const reference = lost(schema, components)
    if (reference !== undefined) return refuse(path, { _tag: "UnresolvedReference", reference })
  }
  const circular = named.find(([[, , name = ""]]) => leadsTo(name, name, components, new Set()))
  return circular === undefined
    ? Result.void
    : refuse(circular[0], {
      _tag: "UnsupportedSchema",
      issue: "it is circular: it refers to itself for the same value"
    })
}

const refuse = (path: ReadonlyArray<string>, reason: OpenRpcError["reason"]) =>
  Result.fail(new OpenRpcError({ path: pointer(path), reason }))

const lost = (schema: Draft07, components: Components): string | undefined => {
  let found: string | undefined
  map(schema, (inner) => {
    const reference = inner["$ref"]
    if (typeof reference === "string" && componentOf(reference, components) === undefined) found ??= reference
    return inner
  })
  return found
}

/** The component that a reference leads to. */
const componentOf = (reference: string, components: Components): string | undefined => {
  const name = nameOf(reference)
  return name !== undefined && Object.hasOwn(components, name) ? name : undefined
}

/** Whether checking a value by one component checks the same value by another. */
const leadsTo = (from: string, to: string, components: Components, seen: Set<string>): boolean => {
  const schema = components[from]
  if (schema === undefined || seen.has(from)) return false
  seen.add(from)
  return sameValue(schema, components).some((name) => name === to || leadsTo(name, to, components, seen))
}

const sameValue = (schema: Draft07, components: Components): ReadonlyArray<string> => {
  const reference = schema["$ref"]
  const lists = [schema["allOf"], schema["anyOf"], schema["oneOf"]]
  return [
    ...(typeof reference === "string" ? [componentOf(reference, components) ?? []].flat() : []),
    ...lists.flatMap((schemas) =>
      Array.isArray(schemas) ? schemas.flatMap((inner) => isObject(inner) ? sameValue(inner, components) : []) : []
    )
  ]
}
