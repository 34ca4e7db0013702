/**
 * Entries of lists, and what programs and their capabilities are, in the words of a revision.
 */
import type * as Schema from "effect/Schema"
import type { ClientCapabilities, Implementation, ServerCapabilities } from "../../payload/Capabilities.ts"
import type { ObjectSchema, PromptInfo, ResourceInfo, ResourceTemplateInfo, ToolInfo } from "../../payload/Listing.ts"
import type { RevisionFeatures } from "../../wire/RevisionFeatures.ts"
import { change, isObject, mapSame, omit } from "../Json.ts"
import { annotations } from "./contentEncoder.ts"
import { allowsOutput } from "./outputSchema.ts"

const unknownMembers = (features: RevisionFeatures): ReadonlyArray<string> => [
  ...(features.icons ? [] : ["icons"]),
  ...(features.titles ? [] : ["title"]),
  ...(features.meta ? [] : ["_meta"])
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
export const tool = (features: RevisionFeatures): (info: ToolInfo) => ToolInfo => {
  const dropped = [
    ...unknownMembers(features),
    ...(features.toolAnnotations ? [] : ["annotations"]),
    ...(features.structuredContent === "none" ? ["outputSchema"] : []),
    ...(features.tasks === "core" ? [] : ["execution"])
  ]
  if (features.structuredContent === "any") return (info) => omit(info, ...dropped)
  return (info) => {
    const known = change(omit(info, ...dropped), "inputSchema", inputSchema)
    return known.outputSchema === undefined || allowsOutput(features, known.outputSchema)
      ? change(known, "outputSchema", worded)
      : omit(known, "outputSchema")
  }
}

/** A resource, or a template of resources. */
export const resource = (features: RevisionFeatures) => {
  const dropped = unknownMembers(features)
  const marked = annotations(features)
  return <A extends ResourceInfo | ResourceTemplateInfo>(info: A): A =>
    change<A, "annotations">(omit(info, ...dropped), "annotations", marked)
}

/** A prompt. */
export const prompt = (features: RevisionFeatures) => {
  const dropped = unknownMembers(features)
  return (info: PromptInfo): PromptInfo =>
    change(omit(info, ...dropped), "arguments", (list) => mapSame(list, (argument) => omit(argument, ...dropped)))
}

/** A program. */
export const implementation = (features: RevisionFeatures) => {
  const dropped = [
    ...(features.titles ? [] : ["title"]),
    ...(features.icons ? [] : ["icons", "description", "websiteUrl"])
  ]
  return (info: Implementation): Implementation => omit(info, ...dropped)
}

/** What a client offers. */
export const clientCapabilities = (features: RevisionFeatures) => {
  const dropped = [
    ...(features.elicitation === "none" ? ["elicitation"] : []),
    ...(features.tasks === "core" ? [] : ["tasks"])
  ]
  return (capabilities: ClientCapabilities): ClientCapabilities => {
    const onlyUrl = features.elicitation === "form" && capabilities.elicitation?.url !== undefined &&
      capabilities.elicitation.form === undefined
    let known = omit(capabilities, ...dropped, ...(onlyUrl ? ["elicitation"] : []))
    if (features.elicitation === "form") known = change(known, "elicitation", (value) => omit(value, "form", "url"))
    if (!features.samplingTools) known = change(known, "sampling", (value) => omit(value, "context", "tools"))
    return features.rootsListChanged ? known : change(known, "roots", (value) => omit(value, "listChanged"))
  }
}

/** What a server offers. */
export const serverCapabilities = (features: RevisionFeatures) => {
  const dropped = [
    ...(features.completions ? [] : ["completions"]),
    ...(features.tasks === "core" ? [] : ["tasks"])
  ]
  return (capabilities: ServerCapabilities): ServerCapabilities => omit(capabilities, ...dropped)
}

/** For how long a result may be kept: a negative time is none. */
export const notNegative = (milliseconds: number): number => Math.max(0, milliseconds)
