/**
 * The description of each side: its name and version, and its capabilities.
 *
 * A capability that is there, even as an empty object, is offered.
 *
 * ```ts run
 * import * as Capabilities from "@parley/mcp/payload/Capabilities"
 *
 * const client: Capabilities.ClientCapabilities = { elicitation: {}, sampling: {} }
 *
 * console.log(Capabilities.canElicitForm(client), Capabilities.canElicitUrl(client)) // => true false
 * console.log(Capabilities.canSample(client), Capabilities.canSampleTools(client)) // => true false
 * ```
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { omit } from "../internal/Json.ts"
import { absent, encoded, inCore, same, since } from "../internal/wire/History.ts"
import { Icon } from "./Content.ts"

/**
 * A program: its name and version, and what people may be shown of it.
 *
 * @category models
 * @since 0.1.0
 */
export const Implementation = Schema.Struct({
  name: Schema.String,
  version: Schema.String,
  title: since("2025-06-18", Schema.String),
  description: since("2025-11-25", Schema.String),
  websiteUrl: since("2025-11-25", Schema.String),
  icons: since("2025-11-25", Schema.Array(Icon))
})

/** @category models @since 0.1.0 */
export type Implementation = typeof Implementation.Type

const named = Schema.Record(Schema.String, Schema.JsonObject)

const listed = Schema.Struct({ listChanged: Schema.optionalKey(Schema.Boolean) })

/** The requests that may become tasks of the core generation, each named by an empty object. */
const asTask = Schema.optionalKey(Schema.JsonObject)

const Elicitation = Schema.Struct({
  form: Schema.optionalKey(Schema.JsonObject),
  url: Schema.optionalKey(Schema.JsonObject)
})

/** Forms had no name while there was nothing else. */
const unnamedForms = (offer: typeof Elicitation.Type) =>
  offer.form === undefined && offer.url !== undefined ? undefined : omit(offer, "form", "url")

const open = {
  experimental: Schema.optionalKey(named),
  extensions: Schema.optionalKey(named)
}

/**
 * The capabilities of a client: what it offers to a server.
 *
 * `elicitation` with neither `form` nor `url` is `form`: decoding writes it so.
 *
 * @category models
 * @since 0.1.0
 */
export const ClientCapabilities = Schema.Struct({
  roots: Schema.optionalKey(Schema.Struct({
    listChanged: encoded(Schema.optionalKey(Schema.Boolean), { "2024-11-05": same, "2026-07-28": absent })
  })),
  sampling: Schema.optionalKey(Schema.Struct({
    context: since("2025-11-25", Schema.JsonObject),
    tools: since("2025-11-25", Schema.JsonObject)
  })),
  elicitation: encoded(Schema.optionalKey(Elicitation), { "2025-06-18": unnamedForms, "2025-11-25": same }),
  tasks: inCore(Schema.Struct({
    list: asTask,
    cancel: asTask,
    requests: Schema.optionalKey(Schema.Struct({
      sampling: Schema.optionalKey(Schema.Struct({ createMessage: asTask })),
      elicitation: Schema.optionalKey(Schema.Struct({ create: asTask }))
    }))
  })),
  ...open
})

/** @category models @since 0.1.0 */
export type ClientCapabilities = typeof ClientCapabilities.Type

/** The capabilities of a server: what it offers to a client. @category models @since 0.1.0 */
export const ServerCapabilities = Schema.Struct({
  tools: Schema.optionalKey(listed),
  resources: Schema.optionalKey(Schema.Struct({
    listChanged: Schema.optionalKey(Schema.Boolean),
    subscribe: Schema.optionalKey(Schema.Boolean)
  })),
  prompts: Schema.optionalKey(listed),
  completions: since("2025-03-26", Schema.JsonObject),
  logging: Schema.optionalKey(Schema.JsonObject),
  tasks: inCore(Schema.Struct({
    list: asTask,
    cancel: asTask,
    requests: Schema.optionalKey(Schema.Struct({
      tools: Schema.optionalKey(Schema.Struct({ call: asTask }))
    }))
  })),
  ...open
})

/** @category models @since 0.1.0 */
export type ServerCapabilities = typeof ServerCapabilities.Type

/** Tells whether the client fills in forms. @category predicates @since 0.1.0 */
export const canElicitForm = ({ elicitation }: ClientCapabilities): boolean =>
  elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)

/** Tells whether the client opens URLs. @category predicates @since 0.1.0 */
export const canElicitUrl = ({ elicitation }: ClientCapabilities): boolean => elicitation?.url !== undefined

/** Tells whether the client has a model to ask. @category predicates @since 0.1.0 */
export const canSample = ({ sampling }: ClientCapabilities): boolean => sampling !== undefined

/** Tells whether the client's model may be given tools. @category predicates @since 0.1.0 */
export const canSampleTools = ({ sampling }: ClientCapabilities): boolean => sampling?.tools !== undefined

/** Tells whether the client names its roots. @category predicates @since 0.1.0 */
export const canListRoots = ({ roots }: ClientCapabilities): boolean => roots !== undefined
