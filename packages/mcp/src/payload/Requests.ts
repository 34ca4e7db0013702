/**
 * The `params` of the requests and notifications, without the envelope of the newest revision.
 *
 * ```ts run
 * import * as Requests from "@parley/mcp/payload/Requests"
 * import { Schema } from "effect"
 *
 * const decode = Schema.decodeUnknownSync(Requests.CallToolParams)
 *
 * console.log(decode({ name: "forecast", arguments: { city: "Oslo" } }).arguments) // => { city: 'Oslo' }
 * ```
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { since } from "../internal/wire/History.ts"
import { ClientCapabilities, Implementation } from "./Capabilities.ts"
import { Meta } from "./Content.ts"
import { LogLevel } from "./LogLevel.ts"

const optionalTexts = Schema.optionalKey(Schema.Record(Schema.String, Schema.String))

const base = { _meta: Schema.optionalKey(Meta) }

/**
 * The progress of a call.
 *
 * @category models
 * @since 0.1.0
 */
export interface Progress {
  /** It grows with each notification. */
  readonly progress: number
  /** The value of `progress` at the end, where the server knows it. */
  readonly total?: number | undefined
  /** A text on the progress, for people. */
  readonly message?: string | undefined
}

/** The members of a request that is sent again with answers. @category models @since 0.1.0 */
export const againFields = {
  inputResponses: Schema.optionalKey(Schema.Record(Schema.String, Schema.JsonObject)),
  requestState: Schema.optionalKey(Schema.String)
}

/** The params of `initialize`. @category models @since 0.1.0 */
export const InitializeParams = Schema.Struct({
  protocolVersion: Schema.String,
  capabilities: ClientCapabilities,
  clientInfo: Implementation,
  ...base
})

/** @category models @since 0.1.0 */
export type InitializeParams = typeof InitializeParams.Type

/** The params of the four lists. @category models @since 0.1.0 */
export const ListParams = Schema.Struct({ cursor: Schema.optionalKey(Schema.String), ...base })

/** @category models @since 0.1.0 */
export type ListParams = typeof ListParams.Type

/** The params of `tools/call`. @category models @since 0.1.0 */
export const CallToolParams = Schema.Struct({
  name: Schema.String,
  arguments: Schema.optionalKey(Schema.JsonObject),
  ...againFields,
  ...base
})

/** @category models @since 0.1.0 */
export type CallToolParams = typeof CallToolParams.Type

/** The params of `resources/read`. @category models @since 0.1.0 */
export const ReadResourceParams = Schema.Struct({ uri: Schema.String, ...againFields, ...base })

/** @category models @since 0.1.0 */
export type ReadResourceParams = typeof ReadResourceParams.Type

/** The params of `resources/subscribe` and `resources/unsubscribe`. @category models @since 0.1.0 */
export const SubscribeParams = Schema.Struct({ uri: Schema.String, ...base })

/** @category models @since 0.1.0 */
export type SubscribeParams = typeof SubscribeParams.Type

/** The params of `prompts/get`. @category models @since 0.1.0 */
export const GetPromptParams = Schema.Struct({
  name: Schema.String,
  arguments: optionalTexts,
  ...againFields,
  ...base
})

/** @category models @since 0.1.0 */
export type GetPromptParams = typeof GetPromptParams.Type

/**
 * The params of `completion/complete`: what is completed, the argument as typed so far, and the arguments already known.
 *
 * @category models
 * @since 0.1.0
 */
export const CompleteParams = Schema.Struct({
  ref: Schema.Union([
    Schema.Struct({
      type: Schema.Literal("ref/prompt"),
      name: Schema.String,
      title: since("2025-06-18", Schema.String)
    }),
    Schema.Struct({ type: Schema.Literal("ref/resource"), uri: Schema.String })
  ]),
  argument: Schema.Struct({ name: Schema.String, value: Schema.String }),
  context: since("2025-06-18", Schema.Struct({ arguments: optionalTexts })),
  ...base
})

/** @category models @since 0.1.0 */
export type CompleteParams = typeof CompleteParams.Type

/** The params of `logging/setLevel`. @category models @since 0.1.0 */
export const SetLevelParams = Schema.Struct({ level: LogLevel, ...base })

/** @category models @since 0.1.0 */
export type SetLevelParams = typeof SetLevelParams.Type

/** The changes that a client wants to hear of. @category models @since 0.1.0 */
export const SubscriptionFilter = Schema.Struct({
  toolsListChanged: Schema.optionalKey(Schema.Boolean),
  promptsListChanged: Schema.optionalKey(Schema.Boolean),
  resourcesListChanged: Schema.optionalKey(Schema.Boolean),
  resourceSubscriptions: Schema.optionalKey(Schema.Array(Schema.String))
})

/** @category models @since 0.1.0 */
export type SubscriptionFilter = typeof SubscriptionFilter.Type

/** The params of `subscriptions/listen`. @category models @since 0.1.0 */
export const ListenParams = Schema.Struct({ notifications: SubscriptionFilter, ...base })

/** @category models @since 0.1.0 */
export type ListenParams = typeof ListenParams.Type

/** How far a request is: grows with each notification; `total` where it is known. @category models @since 0.1.0 */
export const ProgressParams = Schema.Struct({
  progressToken: Schema.Union([Schema.String, Schema.Int]),
  progress: Schema.Finite,
  total: Schema.optionalKey(Schema.Finite),
  message: since("2025-03-26", Schema.String),
  ...base
})

/** @category models @since 0.1.0 */
export type ProgressParams = typeof ProgressParams.Type

/** A log message of the server. @category models @since 0.1.0 */
export const LogParams = Schema.Struct({
  level: LogLevel,
  logger: Schema.optionalKey(Schema.String),
  data: Schema.Json,
  ...base
})

/** @category models @since 0.1.0 */
export type LogParams = typeof LogParams.Type
