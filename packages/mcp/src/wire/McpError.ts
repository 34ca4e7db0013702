/**
 * The error codes of the Model Context Protocol, beside those of JSON-RPC, and what a handler fails with to send them.
 *
 * ```ts run
 * import { McpTool } from "@parley/mcp"
 * import * as McpError from "@parley/mcp/wire/McpError"
 * import { Effect, Schema } from "effect"
 *
 * export const buy = McpTool.make(
 *   "buy",
 *   { params: { euros: Schema.Finite } },
 *   ({ euros }) => euros > 10 ? Effect.fail(McpError.insufficientScope(["payments"])) : Effect.succeed("bought")
 * )
 *
 * const { code, message } = McpError.unknownName("tool", "sell")
 * console.log(code, message) // => -32602 Unknown tool: sell
 * ```
 *
 * @since 0.1.0
 */
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import { ErrorCode, ErrorObject, Excerpt } from "@parley/protocol/shared"
import type * as Schema from "effect/Schema"
import { isArray, isObject } from "../internal/Json.ts"
import { type ElicitUrl, isOfferable } from "../payload/Elicitation.ts"
import type { RevisionCodec } from "./RevisionCodec.ts"
import type { WireIssue } from "./WireIssue.ts"

/** There is no resource at the URI, in the legacy era. The modern era uses -32602. @category codes @since 0.1.0 */
export const ResourceNotFound = -32002

/** A header of HTTP says something else than the body. @category codes @since 0.1.0 */
export const HeaderMismatch = -32020

/** The request needs a capability that its client did not name. @category codes @since 0.1.0 */
export const MissingClientCapability = -32021

/** The server does not speak the revision of the request. @category codes @since 0.1.0 */
export const UnsupportedRevision = -32022

/** The request needs a URL to be opened first; one revision only. @category codes @since 0.1.0 */
export const UrlElicitationRequired = -32042

/**
 * There is no room for the request. JSON-RPC reserves -32768 to -32000, and MCP wants
 * applications to use codes outside of that range.
 *
 * @category codes
 * @since 0.1.0
 */
export const Overloaded = -31000

/**
 * The caller lacks a scope. Over HTTP the status is 403, and `www-authenticate` has the scopes.
 *
 * @category codes
 * @since 0.1.0
 */
export const InsufficientScope = -31001

/**
 * The process that ran the request has ended. The request may have run in part, so that only its client can say whether to
 * send it again.
 *
 * @category codes
 * @since 0.1.0
 */
export const OwnerGone = -31002

/**
 * A part of the stream that answers the request is not kept any more, so that the client cannot have its answer. The request
 * may have run.
 *
 * @category codes
 * @since 0.1.0
 */
export const EventsGone = -31005

/** A server behind this one cannot be reached, or did not answer as it should. @category codes @since 0.1.0 */
export const UpstreamFailed = -31003

/**
 * -31003 with the name of the server. The cause, which may tell where the server is, goes to our log.
 *
 * @category constructors
 * @since 0.1.0
 */
export const upstreamFailed = (server: string, issue: string, cause?: unknown): ErrorResponse.ErrorResponse =>
  ErrorResponse.fromObject(
    ErrorObject.make(UpstreamFailed, `The server ${server} behind this one ${issue}`, { server }),
    cause
  )

/** The tool is not approved as it is now. @category codes @since 0.1.0 */
export const NotApproved = -31004

/** -31004 with the kind of what is not approved, its name and its server. @category constructors @since 0.1.0 */
export const notApproved = (server: string, kind: string, name: string, isNew: boolean): ErrorResponse.ErrorResponse =>
  ErrorResponse.make(
    NotApproved,
    isNew
      ? `Nobody has approved the ${nameOf(kind, name)} of the server ${server}`
      : `The ${nameOf(kind, name)} of the server ${server} has changed since it was approved`,
    { server, [kind]: name }
  )

/** A definition of a server, as in `tool read`. The name of a tool or prompt may look like another. @category formatting @since 0.1.0 */
export const nameOf = (kind: string, name: string): string =>
  kind === "tool" || kind === "prompt"
    ? `${kind} ${Excerpt.name(name)}`
    : name === ""
    ? kind
    : `${kind} ${Excerpt.line(name)}`

/** -31002, which says that the request may have run in part. @category constructors @since 0.1.0 */
export const ownerGone: ErrorResponse.ErrorResponse = ErrorResponse.make(
  OwnerGone,
  "The process that ran this request has ended; it may have run in part"
)

/** -31005, which says that the answer is not there any more. @category constructors @since 0.1.0 */
export const eventsGone: ErrorResponse.ErrorResponse = ErrorResponse.make(
  EventsGone,
  "A part of the answer to this request is not kept any more; the request may have run"
)

/** No resource has the URI; the code is the revision's. @category constructors @since 0.1.0 */
export const resourceNotFound = (codec: RevisionCodec, uri: string): ErrorResponse.ErrorResponse =>
  ErrorResponse.make(codec.features.resourceNotFound, "Resource not found", { uri })

/** -32020 with what differs in the message. @category constructors @since 0.1.0 */
export const headerMismatch = (message: string): ErrorResponse.ErrorResponse =>
  ErrorResponse.make(HeaderMismatch, message)

/**
 * -32021 with the capabilities that the client must name, written as it would name them.
 *
 * @category constructors
 * @since 0.1.0
 */
export const missingClientCapability = (requiredCapabilities: Schema.JsonObject): ErrorResponse.ErrorResponse =>
  ErrorResponse.make(MissingClientCapability, "Missing required client capability", { requiredCapabilities })

/** -32022 with the revisions that the server speaks. @category constructors @since 0.1.0 */
export const unsupportedRevision = (
  requested: string,
  supported: ReadonlyArray<string>
): ErrorResponse.ErrorResponse =>
  ErrorResponse.make(UnsupportedRevision, "Unsupported protocol version", { requested, supported })

/**
 * -31001 with the scopes that the call needs. A handler fails with it where what is needed depends on the arguments.
 *
 * @category constructors
 * @since 0.1.0
 */
export const insufficientScope = (requiredScopes: ReadonlyArray<string>): ErrorResponse.ErrorResponse =>
  ErrorResponse.make(InsufficientScope, `Insufficient scope: this needs ${requiredScopes.join(" ")}`, {
    requiredScopes
  })

/** The scopes in an error of -31001; none in any other. @category accessors @since 0.1.0 */
export const requiredScopesOf = (
  { code, data }: Pick<ErrorObject.ErrorObject, "code" | "data">
): ReadonlyArray<string> => {
  const scopes = code === InsufficientScope && isObject(data) ? data["requiredScopes"] : undefined
  return (isArray(scopes) ? scopes : []).filter((scope) => typeof scope === "string")
}

/** -32602 with the members of `_meta` that a modern request must have. @category constructors @since 0.1.0 */
export const missingMeta = (keys: ReadonlyArray<string>): ErrorResponse.ErrorResponse =>
  invalidParams({ issues: keys.map((key) => ({ path: ["_meta", key], message: "Missing key" })) })

/**
 * -32602 with what does not fit. The message has the first issue, because clients show people and models nothing else.
 *
 * @category constructors
 * @since 0.1.0
 */
export const invalidParams = ({ issues }: Pick<WireIssue, "issues">): ErrorResponse.ErrorResponse => {
  const { code, data, message } = ErrorObject.invalidParams(issues)
  const [first] = issues
  return ErrorResponse.make(code, first === undefined ? message : `${message}: ${said(first)}`, data)
}

const said = ({ message, path }: ErrorObject.ParamIssue): string =>
  Excerpt.line(path.length === 0 ? message : `${path.join(".")}: ${message}`)

/** -32602 for a tool or prompt that does not exist, or is not for this client. @category constructors @since 0.1.0 */
export const unknownName = (kind: "tool" | "prompt", name: string): ErrorResponse.ErrorResponse =>
  ErrorResponse.make(ErrorCode.InvalidParams, `Unknown ${kind}: ${name}`, { name })

/**
 * -32042 with the URLs to open; each needs its `elicitationId`. Partial: throws for an address that no person may be asked
 * to open, as `isOfferable` of `Elicitation` says.
 *
 * @category constructors
 * @since 0.1.0
 */
export const urlElicitationRequired = (
  elicitations: ReadonlyArray<ElicitUrl & { readonly elicitationId: string }>
): ErrorResponse.ErrorResponse => {
  const bad = elicitations.find(({ url }) => !isOfferable(url))
  if (bad !== undefined) {
    throw new TypeError(
      `no person is asked to open ${Excerpt.quoted(bad.url)}: give an https address, or an http one of this machine`
    )
  }
  return ErrorResponse.make(UrlElicitationRequired, "URL elicitation required", {
    elicitations: elicitations.map((ask) => ({ mode: "url", ...ask }))
  })
}

/** The ids in an error of -32042; none in any other. @category accessors @since 0.1.0 */
export const elicitationsOf = (error: ErrorResponse.ErrorResponse): ReadonlyArray<string> =>
  textsOf(error, "elicitationId")

/** The URLs in an error of -32042; none in any other. @category accessors @since 0.1.0 */
export const urlsOf = (error: Pick<ErrorObject.ErrorObject, "code" | "data">): ReadonlyArray<string> =>
  textsOf(error, "url")

const textsOf = ({ code, data }: Pick<ErrorObject.ErrorObject, "code" | "data">, member: string) => {
  const asked = code === UrlElicitationRequired && isObject(data) ? data["elicitations"] : undefined
  return (isArray(asked) ? asked : []).flatMap((ask) => {
    const text = isObject(ask) ? ask[member] : undefined
    return typeof text === "string" ? [text] : []
  })
}
