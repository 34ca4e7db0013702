/**
 * Content Descriptors. What one says about itself is what a Schema's key is
 * annotated with, so that it survives beside what the Schema says of values.
 */
import type * as Schema from "effect/Schema"
import type * as OpenRpcDocument from "../OpenRpcDocument.ts"

/** @internal */
export type JsonSchema = OpenRpcDocument.JsonSchema

/** @internal */
export type Annotations = Schema.Annotations.Annotations | undefined

/** @internal */
export const descriptor = (
  name: string,
  schema: JsonSchema,
  annotations: Annotations,
  required = false
): OpenRpcDocument.ContentDescriptor => ({
  name,
  ...text("summary", annotations),
  ...text("description", annotations),
  ...(required && { required }),
  schema,
  ...(annotations?.["deprecated"] === true && { deprecated: true }),
  ...extensions(annotations)
})

const text = <K extends "summary" | "description">(key: K, annotations: Annotations) => {
  const value = annotations?.[key]
  return typeof value === "string" ? { [key]: value } : {}
}

const extensions = (annotations: Annotations): { readonly [name: `x-${string}`]: Schema.Json } =>
  // Members that begin so are given as JSON.
  Object.fromEntries(Object.entries(annotations ?? {}).filter(([key]) => key.startsWith("x-"))) as {
    readonly [name: `x-${string}`]: Schema.Json
  }

/** The same, from a descriptor whose name would be this one without annotations. @internal */
export const annotationsOf = (
  { deprecated, description, name, required: _required, schema: _schema, summary, ...extensions }:
    OpenRpcDocument.ContentDescriptor,
  unnamed: string
): { readonly [key: string]: Schema.Json } => ({
  ...(name !== unnamed && { title: name }),
  ...(summary !== undefined && { summary }),
  ...(description !== undefined && { description }),
  ...(deprecated === true && { deprecated }),
  ...extensions
})
