/**
 * Errors of a member as Error Objects. The code is the tag on the wire, so `data`
 * has no `_tag`.
 */
import * as Method from "@parley/contract/Method"
import type { Objects, Representation } from "effect/SchemaRepresentation"
import type * as OpenRpcDocument from "../OpenRpcDocument.ts"
import type { Pools } from "./pools.ts"

type Described = Pick<OpenRpcDocument.Method, "errors" | "x-parley-errors">

/** @internal */
export const describe = (errors: Method.Errors, pools: Pools): () => () => Described => {
  const staged = Object.entries(errors).map(([code, error]) => {
    const wire = Method.onWire(error)
    const { dataField, message, messageField, schema, tag } = wire
    const added = pools.schemas.add(schema)
    return () => {
      const representation = added()
      const data = dataOf(representation, pools.resolve(representation), wire)
      const json = data === undefined ? undefined : pools.representations.add(data)
      const named: OpenRpcDocument.NamedError = {
        ...(tag !== undefined && { tag }),
        ...(messageField !== undefined && { messageField }),
        ...(dataField !== undefined && { dataField })
      }
      return () => ({
        named,
        object: { code: Number(code), message, ...(json && { data: json() }) }
      })
    }
  })
  return () => {
    const later = staged.map((error) => error())
    return () => {
      const described = later.map((error) => error())
      if (described.length === 0) return {}
      return {
        errors: described.map(({ object }) => object),
        "x-parley-errors": Object.fromEntries(
          described.map(({ named, object }) => [`${object.code}`, named])
        )
      }
    }
  }
}

/** The data on the wire. A tag or a message without other fields leaves nothing. */
const dataOf = (
  representation: Representation,
  resolved: Representation,
  { dataField, messageField, tag }: Method.WireError
): Representation | undefined => {
  if (resolved._tag !== "Objects") return representation
  return dataField === undefined
    ? fieldsOf(representation, resolved, tag === undefined ? [messageField] : ["_tag", messageField])
    : resolved.propertySignatures.find(({ name }) => name === dataField)?.type
}

/** An object without these fields; nothing where it has no others. */
const fieldsOf = (
  representation: Representation,
  resolved: Objects,
  left: ReadonlyArray<string | undefined>
): Representation | undefined => {
  const propertySignatures = resolved.propertySignatures.filter(({ name }) => !left.includes(String(name)))
  if (propertySignatures.length === resolved.propertySignatures.length) return representation
  return propertySignatures.length === 0 && resolved.indexSignatures.length === 0
    ? undefined
    : { _tag: "Objects", propertySignatures, indexSignatures: resolved.indexSignatures, checks: [] }
}
