/**
 * Errors of a member as Error Objects. The code is the tag on the wire, so `data`
 * has no `_tag`.
 */
import type * as Method from "@parley/contract/Method"
import type * as Params from "@parley/contract/Params"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type { Objects, Representation } from "effect/SchemaRepresentation"
import type * as OpenRpcDocument from "../../OpenRpcDocument.ts"
import type { Pools } from "./pools.ts"

type Described = Pick<OpenRpcDocument.Method, "errors" | "x-parley-errors">

/** @internal */
export const describe = (errors: Method.Errors, pools: Pools): () => () => Described => {
  const staged = Object.entries(errors).map(([code, error]) => {
    const spec = specOf(error)
    const { message, schema } = spec
    const added = pools.schemas.add(schema)
    return () => {
      const representation = added()
      const { data, tag } = dataOf(representation, pools.resolve(representation), spec)
      const json = data === undefined ? undefined : pools.representations.add(data)
      const { dataField, messageField } = spec
      const named: OpenRpcDocument.NamedError = {
        ...(tag !== undefined && { tag }),
        ...(messageField !== undefined && { messageField }),
        ...(dataField !== undefined && { dataField })
      }
      return () => ({
        named,
        object: { code: Number(code), message: message ?? tag ?? "Application error", ...(json && { data: json() }) }
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

const specOf = (error: Params.Codec | Method.ErrorSpec): Method.ErrorSpec => {
  // What is no Schema is a spec, by its type, and what is one is no spec.
  const spec: Method.ErrorSpec = Schema.isSchema(error) ? { schema: error as Params.Codec } : error as Method.ErrorSpec
  const message = spec.message ?? SchemaAST.resolveDescription(spec.schema.ast)
  return message === undefined ? spec : { ...spec, message }
}

/** The data on the wire, and the tag that it has not. A tag without other fields leaves nothing. */
const dataOf = (
  representation: Representation,
  resolved: Representation,
  { dataField, messageField }: Method.ErrorSpec
): { readonly data?: Representation; readonly tag?: string } => {
  if (resolved._tag !== "Objects") return { data: representation }
  const field = resolved.propertySignatures.find(({ name }) => name === "_tag")?.type
  const tag = field?._tag === "Literal" && typeof field.literal === "string" ? field.literal : undefined
  const data = dataField === undefined
    ? fieldsOf(representation, resolved, tag === undefined ? [messageField] : ["_tag", messageField])
    : resolved.propertySignatures.find(({ name }) => name === dataField)?.type
  return { ...(tag !== undefined && { tag }), ...(data !== undefined && { data }) }
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
