/** The JSON Schema of the arguments of a tool, which are an object, and the HTTP headers that repeat some of them. */
import type { Params } from "@parley/contract/shared"
import * as Schema from "effect/Schema"
import * as HeaderValue from "../../http/HeaderValue.ts"
import type { ObjectSchema } from "../../payload/Listing.ts"
import { isObject } from "../Json.ts"
import { type Excess, fromSchema, isFields } from "./document.ts"

/** The JSON Schema of a tool's arguments. Partial: throws where they are no object, or a header cannot be one. @internal */
export const inputSchema = (
  tool: string,
  declared: Schema.Constraint | Params.Fields | undefined,
  headers: { readonly [property: string]: string },
  onExcessProperty: Excess
): ObjectSchema => {
  if (declared === undefined) return empty
  if (isFields(declared) && Object.keys(declared).length === 0) return empty
  const whole = isFields(declared) ? Schema.Struct(declared) : declared
  const schema = fromSchema(`the tool ${tool}`, whole, onExcessProperty)
  if (schema["type"] !== "object") throw new TypeError(`the arguments of the tool ${tool} are no object`)
  return withHeaders(tool, { ...schema, type: "object" }, headers)
}

const empty: ObjectSchema = { type: "object", properties: {}, additionalProperties: false }

/** Marks properties whose values travel in headers, too. @internal */
export const withHeaders = (
  tool: string,
  schema: ObjectSchema,
  headers: { readonly [property: string]: string }
): ObjectSchema => {
  const marked = Object.entries(headers).reduce((schema, [name, header]) => {
    const properties = isObject(schema["properties"]) ? schema["properties"] : {}
    const property = properties[name]
    if (!Object.hasOwn(properties, name) || !isObject(property)) {
      throw new TypeError(`the tool ${tool} has no argument ${name} to put into a header`)
    }
    return { ...schema, properties: { ...properties, [name]: { ...property, [HeaderValue.annotation]: header } } }
  }, schema)
  const found = HeaderValue.headersOf(marked)
  if (found._tag === "Failure") throw new TypeError(`the headers of the tool ${tool} cannot be: ${found.failure}`)
  return marked
}
