/**
 * The envelope of modern requests, in `_meta`: the client, its revision and its capabilities.
 *
 * A request with one of the reserved keys is modern, any other is legacy. A server
 * remembers nothing from one request to the next.
 *
 * ```ts run
 * import * as Envelope from "@parley/mcp/wire/Envelope"
 *
 * const envelope = Envelope.make({ protocolVersion: "2026-07-28", clientCapabilities: { sampling: {} } })
 * const params = Envelope.writeEnvelope({ name: "now" }, envelope)
 *
 * const read = Envelope.readEnvelope(params)
 * if (read?._tag === "Envelope") console.log(read.protocolVersion, read.clientCapabilities) // => 2026-07-28 { sampling: {} }
 * // A request without an envelope is a legacy one.
 * console.log(Envelope.readEnvelope({ name: "now" })) // => undefined
 * ```
 *
 * @since 0.1.0
 */
import { Relayed } from "@parley/protocol/shared"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { isObject } from "../internal/Json.ts"
import { clientCapabilities as decodeCapabilities, implementation as decodeInfo } from "../internal/wire/decoder.ts"
import type { ClientCapabilities, Implementation } from "../payload/Capabilities.ts"
import { isLogLevel, type LogLevel } from "../payload/LogLevel.ts"
import { era, isKnown, type Revision } from "./Revision.ts"
import * as WireIssue from "./WireIssue.ts"

/** The key of the revision of a request. @category keys @since 0.1.0 */
export const protocolVersion = "io.modelcontextprotocol/protocolVersion"

/** The key of the client of a request. @category keys @since 0.1.0 */
export const clientInfo = "io.modelcontextprotocol/clientInfo"

/** The key of what the client of a request offers. @category keys @since 0.1.0 */
export const clientCapabilities = "io.modelcontextprotocol/clientCapabilities"

/** The key of the least important log level that a request wants to see. @category keys @since 0.1.0 */
export const logLevel = "io.modelcontextprotocol/logLevel"

/** The key of the server of a result. @category keys @since 0.1.0 */
export const serverInfo = "io.modelcontextprotocol/serverInfo"

/** The key of the listening request that a notification belongs to. @category keys @since 0.1.0 */
export const subscriptionId = "io.modelcontextprotocol/subscriptionId"

/**
 * The envelope of a modern request.
 *
 * @category models
 * @since 0.1.0
 */
export interface Envelope {
  readonly _tag: "Envelope"
  /** The revision that the request is made in. */
  readonly protocolVersion: Revision
  /** The capabilities of the client. */
  readonly clientCapabilities: ClientCapabilities
  /** The name and version of the client; `undefined` where it does not say. */
  readonly clientInfo: Implementation | undefined
  /** The least important log messages that are wanted; `undefined` for none. */
  readonly logLevel: LogLevel | undefined
}

/**
 * The reason for which a modern request cannot be taken: it lacks a member that each
 * must have, has one that does not fit, or names a revision that is not modern.
 *
 * @category models
 * @since 0.1.0
 */
export type Refused =
  | { readonly _tag: "MissingKeys"; readonly keys: ReadonlyArray<string>; readonly requested: string | undefined }
  | { readonly _tag: "Malformed"; readonly issue: WireIssue.WireIssue; readonly requested: string | undefined }
  | { readonly _tag: "UnsupportedRevision"; readonly requested: string }

/** The `_meta` of params, where they have one. @category accessors @since 0.1.0 */
export const metaOf = (params: Schema.Json | undefined): Schema.JsonObject | undefined =>
  isObject(params) && isObject(params["_meta"]) ? params["_meta"] : undefined

const required = [protocolVersion, clientCapabilities]

const malformed = (key: string, message: string, requested?: string): Refused => ({
  _tag: "Malformed",
  issue: WireIssue.make(message, ["_meta", key]),
  requested
})

/**
 * Reads the envelope of a request: `undefined` where there is none, which makes the request a legacy one.
 *
 * @category accessors
 * @since 0.1.0
 */
export const readEnvelope = (params: Schema.Json | undefined): Envelope | Refused | undefined => {
  const meta = metaOf(params)
  return meta === undefined || !reserved.some((key) => meta[key] !== undefined) ? undefined : read(meta)
}

/** The refusal of a request that must have an envelope, and has none. @category models @since 0.1.0 */
export const absent: Refused & { readonly _tag: "MissingKeys" } = {
  _tag: "MissingKeys",
  keys: required,
  requested: undefined
}

/** The version of the protocol that a request names, if it is a text. @category accessors @since 0.1.0 */
export const requestedVersion = (envelope: Envelope | Refused): string | undefined =>
  envelope._tag === "Envelope" ? envelope.protocolVersion : envelope.requested

const reserved = [protocolVersion, clientCapabilities, clientInfo, logLevel]

const read = (meta: Schema.JsonObject): Envelope | Refused => {
  // JSON has no `undefined`: a member with another value is present.
  const { [clientCapabilities]: offer, [clientInfo]: client, [logLevel]: level, [protocolVersion]: revision } = meta
  if (revision === undefined || offer === undefined) {
    const requested = typeof revision === "string" ? revision : undefined
    return { _tag: "MissingKeys", keys: required.filter((key) => meta[key] === undefined), requested }
  }
  if (typeof revision !== "string") return malformed(protocolVersion, "expected a string")
  if (!isKnown(revision) || era(revision) !== "modern") return { _tag: "UnsupportedRevision", requested: revision }
  const capabilities = decodeCapabilities(offer)
  if (Result.isFailure(capabilities)) return malformed(clientCapabilities, capabilities.failure.message, revision)
  const info = client === undefined ? undefined : decodeInfo(client)
  if (info !== undefined && Result.isFailure(info)) return malformed(clientInfo, info.failure.message, revision)
  if (level !== undefined && !isLogLevel(level)) return malformed(logLevel, "expected a log level", revision)
  return {
    _tag: "Envelope",
    protocolVersion: revision,
    clientCapabilities: capabilities.success,
    clientInfo: info?.success,
    logLevel: level
  }
}

/**
 * The envelope that a client writes into each of its modern requests. Make it once per connection.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (options: {
  readonly protocolVersion: Revision
  readonly clientCapabilities: Schema.JsonObject
  readonly clientInfo?: Schema.JsonObject | undefined
  readonly logLevel?: LogLevel | undefined
}): Schema.JsonObject => ({
  [protocolVersion]: options.protocolVersion,
  [clientCapabilities]: options.clientCapabilities,
  ...(options.clientInfo === undefined ? {} : { [clientInfo]: options.clientInfo }),
  ...(options.logLevel === undefined ? {} : { [logLevel]: options.logLevel })
})

/** Params with an envelope in their `_meta`; what was there stays. @category combinators @since 0.1.0 */
export const writeEnvelope = (
  params: Schema.JsonObject | undefined,
  envelope: Schema.JsonObject
): Schema.JsonObject => {
  const meta = metaOf(params)
  return Relayed.carry(
    { ...params, _meta: meta === undefined ? envelope : Relayed.carry({ ...meta, ...envelope }, meta) },
    params
  )
}

/**
 * The name and version of the server that a result came from; `undefined` where they are absent or malformed.
 *
 * @category accessors
 * @since 0.1.0
 */
export const serverOf = (result: { readonly _meta?: Schema.JsonObject }): Implementation | undefined => {
  const info = result._meta?.[serverInfo]
  return info === undefined ? undefined : Result.getOrElse(decodeInfo(info), () => undefined)
}
