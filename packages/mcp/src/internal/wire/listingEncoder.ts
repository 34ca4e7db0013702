/**
 * Entries of lists, and what programs and their capabilities are, in the words of a revision.
 */
import type * as Schema from "effect/Schema"
import type { ClientCapabilities, Implementation, ServerCapabilities } from "../../payload/Capabilities.ts"
import type { ObjectSchema, PromptInfo, ResourceInfo, ResourceTemplateInfo, ToolInfo } from "../../payload/Listing.ts"
import type { Traits } from "../../wire/RevisionFeatures.ts"
import { change, isObject, mapSame, omit } from "../Json.ts"
import { annotations } from "./contentEncoder.ts"

const unknownMembers = (traits: Traits): ReadonlyArray<string> => [
  ...(traits.icons ? [] : ["icons"]),
  ...(traits.titles ? [] : ["title"]),
  ...(traits.meta ? [] : ["_meta"])
]

/** A schema of an object whose properties are objects: `true` and `false` become schemas that mean the same. */
const worded = (schema: Schema.JsonObject): Schema.JsonObject => {
  const properties = schema["properties"]
  if (properties === undefined || !isObject(properties)) return schema
  if (!Object.values(properties).some((property) => typeof property === "boolean")) return schema
  const objects = Object.entries(properties).map(([key, property]) => [
    key,
    property === true ? {} : property === false ? { not: {} } : property
  ])
  return { ...schema, properties: Object.fromEntries(objects) }
}

/** The schema of a tool's arguments. */
const inputSchema = (schema: ObjectSchema): ObjectSchema => ({ ...worded(schema), type: "object" })

/** A tool. */
export const tool = (traits: Traits): (info: ToolInfo) => ToolInfo => {
  const dropped = [
    ...unknownMembers(traits),
    ...(traits.toolAnnotations ? [] : ["annotations"]),
    ...(traits.structuredContent === "none" ? ["outputSchema"] : [])
  ]
  if (traits.structuredContent === "any") return (info) => omit(info, ...dropped)
  return (info) => {
    const known = change(omit(info, ...dropped), "inputSchema", inputSchema)
    return known.outputSchema === undefined || known.outputSchema["type"] === "object"
      ? change(known, "outputSchema", worded)
      : omit(known, "outputSchema")
  }
}

/** A resource, or a template of resources. */
export const resource = (traits: Traits) => {
  const dropped = unknownMembers(traits)
  const marked = annotations(traits)
  return <A extends ResourceInfo | ResourceTemplateInfo>(info: A): A =>
    change<A, "annotations">(omit(info, ...dropped), "annotations", marked)
}

/** A prompt. */
export const prompt = (traits: Traits) => {
  const dropped = unknownMembers(traits)
  return (info: PromptInfo): PromptInfo =>
    change(omit(info, ...dropped), "arguments", (list) => mapSame(list, (argument) => omit(argument, ...dropped)))
}

/** A program. */
export const implementation = (traits: Traits) => {
  const dropped = [...(traits.titles ? [] : ["title"]), ...(traits.icons ? [] : ["icons", "description", "websiteUrl"])]
  return (info: Implementation): Implementation => omit(info, ...dropped)
}

/** What a client offers. */
export const clientCapabilities = (traits: Traits) => {
  const dropped = [
    ...(traits.elicitation === "none" ? ["elicitation"] : []),
    ...(traits.extensions ? [] : ["extensions"])
  ]
  return (capabilities: ClientCapabilities): ClientCapabilities => {
    const onlyUrl = traits.elicitation === "form" && capabilities.elicitation?.url !== undefined &&
      capabilities.elicitation.form === undefined
    let known = omit(capabilities, ...dropped, ...(onlyUrl ? ["elicitation"] : []))
    if (traits.elicitation === "form") known = change(known, "elicitation", (value) => omit(value, "form", "url"))
    if (!traits.samplingTools) known = change(known, "sampling", (value) => omit(value, "context", "tools"))
    return traits.rootsListChanged ? known : change(known, "roots", (value) => omit(value, "listChanged"))
  }
}

/** What a server offers. */
export const serverCapabilities = (traits: Traits) => {
  const dropped = [...(traits.completions ? [] : ["completions"]), ...(traits.extensions ? [] : ["extensions"])]
  return (capabilities: ServerCapabilities): ServerCapabilities => omit(capabilities, ...dropped)
}

/** For how long a result may be kept: a negative time is none. */
export const notNegative = (milliseconds: number): number => Math.max(0, milliseconds)
