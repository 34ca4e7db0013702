/**
 * The errors of a client. Each tag is a decision of its own:
 *
 * - `ProtocolError`: the server refused the request.
 * - `ToolError`: the tool ran and failed. `TaskError`: the task that a call became gives no result.
 * - `UnsupportedCapability`: the server does not have what the request needs.
 * - `AuthorizationError` of `auth/`: the server wants a token that cannot be had.
 * - `InvalidResult`: the server answered something else than the method gives.
 * - `InputRefused`: the server asked for input that the client cannot give.
 * - `SessionExpired`: the session is over.
 * - `RequestTimeout`, `Disconnected`, `HttpStatusError` and others of the peer: the connection failed.
 *
 * ```ts
 * import { McpClient, McpClientError } from "@parley/mcp"
 * import { Effect } from "effect"
 *
 * const advice = (error: McpClientError.McpToolError): string => {
 *   switch (error._tag) {
 *     case "ToolError":
 *       return `the model should read: ${error.message}`
 *     case "RequestTimeout":
 *       return "try again later"
 *     default:
 *       return `tell the operator: ${error.message}`
 *   }
 * }
 *
 * export const forecast = Effect.flatMap(McpClient.McpClient, ({ callTool }) => callTool("forecast", { city: "Oslo" }))
 *   .pipe(Effect.mapError(advice))
 * ```
 *
 * @since 0.1.0
 */
import type { AuthorizationError } from "@parley/oauth/AuthorizationError"
import * as Caller from "@parley/peer/Caller"
import { Excerpt } from "@parley/protocol/shared"
import * as Schema from "effect/Schema"
import { CallToolResult } from "../payload/Results.ts"

/** JSON as it was received. It is not walked again. */
const Received = Schema.declare<Schema.Json>((_): _ is Schema.Json => true, { toCodecJson: () => undefined })

/**
 * The server answered a request with an error object; code, message and data are as it sent them.
 *
 * @category errors
 * @since 0.1.0
 */
export class ProtocolError extends Schema.TaggedError<ProtocolError>()("ProtocolError", {
  method: Schema.String,
  /** The id that the request had on the wire. */
  id: Schema.optionalKey(Schema.Union([Schema.String, Schema.Finite])),
  code: Schema.Int,
  /** The text of the error object. */
  text: Schema.String,
  data: Schema.optionalKey(Received)
}) {
  override get message(): string {
    return `${Caller.nameOf(this)} was answered with error ${this.code}: ${Excerpt.line(this.text)}`
  }
}

/**
 * A tool ran and says that it failed (`isError`). The result has what it says.
 *
 * @category errors
 * @since 0.1.0
 */
export class ToolError extends Schema.TaggedError<ToolError>()("ToolError", {
  tool: Schema.String,
  result: CallToolResult
}) {
  override get message(): string {
    const texts = this.result.content.flatMap((block) => block.type === "text" ? [block.text] : [])
    return texts.length === 0
      ? `the tool ${this.tool} failed`
      : `the tool ${this.tool} failed: ${Excerpt.line(texts.join(" "))}`
  }
}

/**
 * The reasons for which a task gives no result, each a decision of its own:
 *
 * - `Failed`: the call failed with an error object, or the server says no more than that it failed.
 * - `Cancelled`: a client or the server cancelled it.
 * - `Unknown`: the server does not know the task. It has expired, belongs to another principal, or never existed.
 * - `Overdue`: it did not change, or did not end, within the timeout. It may still run.
 *
 * @category models
 * @since 0.1.0
 */
export const TaskReason = Schema.Union([
  Schema.TaggedStruct("Failed", {
    statusMessage: Schema.optionalKey(Schema.String),
    error: Schema.optionalKey(
      Schema.Struct({ code: Schema.Int, message: Schema.String, data: Schema.optionalKey(Received) })
    )
  }),
  Schema.TaggedStruct("Cancelled", { statusMessage: Schema.optionalKey(Schema.String) }),
  Schema.TaggedStruct("Unknown", { text: Schema.String }),
  Schema.TaggedStruct("Overdue", { milliseconds: Schema.Finite, limit: Schema.Literals(["timeout", "maxTimeout"]) })
])

/** @category models @since 0.1.0 */
export type TaskReason = typeof TaskReason.Type

/**
 * The task that a call became gives no result.
 *
 * @category errors
 * @since 0.1.0
 */
export class TaskError extends Schema.TaggedError<TaskError>()("TaskError", {
  /** The id of the task. */
  task: Schema.String,
  /** The tool that was called; absent where only the id of the task is known. */
  tool: Schema.optionalKey(Schema.String),
  reason: TaskReason
}) {
  override get message(): string {
    const of = this.tool === undefined ? "" : ` of the tool ${this.tool}`
    return `the task ${Excerpt.line(this.task)}${of} ${describe(this.reason)}`
  }
}

const describe = (reason: TaskReason): string => {
  switch (reason._tag) {
    case "Failed": {
      const { error, statusMessage } = reason
      const status = said(statusMessage)
      return error === undefined
        ? `failed${status}`
        : `failed${status === "" ? said(error.message) : status} (error ${error.code})`
    }
    case "Cancelled":
      return `was cancelled${said(reason.statusMessage)}`
    case "Unknown":
      return `is not known to the server: it has expired, is somebody else's or never was${said(reason.text)}`
    case "Overdue":
      return reason.limit === "timeout"
        ? `has not changed for ${reason.milliseconds} ms (\`timeout\` of \`TaskClient.use\`)`
        : `has not ended within ${reason.milliseconds} ms (\`maxTimeout\` of \`TaskClient.use\`)`
  }
}

const said = (text: string | undefined): string => text === undefined || text === "" ? "" : `: ${Excerpt.line(text)}`

/**
 * The revision has no such method, or the server has not declared the capability for it. Nothing was sent.
 *
 * @category errors
 * @since 0.1.0
 */
export class UnsupportedCapability extends Schema.TaggedError<UnsupportedCapability>()("UnsupportedCapability", {
  method: Schema.String,
  /** The capability that the server would have to declare; absent where the revision has no such method. */
  capability: Schema.optionalKey(Schema.String)
}) {
  override get message(): string {
    return this.capability === undefined
      ? `${this.method} is no method of the revision in use`
      : `the server does not declare ${this.capability}, which ${this.method} needs`
  }
}

/**
 * The server does not know the session of a request any more. The client makes a new session and the call again; it fails
 * with this only where that did not help.
 *
 * @category errors
 * @since 0.1.0
 */
export class SessionExpired extends Schema.TaggedError<SessionExpired>()("SessionExpired", {
  method: Schema.String
}) {
  override get message(): string {
    return `the server does not know the session of ${this.method} any more, and a new one could not be made`
  }
}

/**
 * A result came that is not what the method gives: the Schema of the revision, the tool's output schema or the
 * caller's Schema refuses it.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidResult extends Schema.TaggedError<InvalidResult>()("InvalidResult", {
  method: Schema.String,
  /** Where in the result, from the outside in. */
  path: Schema.Array(Schema.Union([Schema.String, Schema.Finite])),
  rule: Schema.String
}) {
  override get message(): string {
    const at = this.path.length === 0 ? "" : ` at ${Excerpt.line(this.path.join("."))}`
    return `the result of ${this.method} is invalid${at}: ${Excerpt.line(this.rule)}`
  }
}

/**
 * The server needs input for a call, and the client cannot give it: there is no handler for it, the handler failed, its
 * answer does not fit, or the server asked in more rounds than allowed.
 *
 * @category errors
 * @since 0.1.0
 */
export class InputRefused extends Schema.TaggedError<InputRefused>()("InputRefused", {
  method: Schema.String,
  /** The method that the server asks for, such as `elicitation/create`; absent where it asked too often. */
  asked: Schema.optionalKey(Schema.String),
  rule: Schema.String
}) {
  override get message(): string {
    return `${this.method} needs input${this.asked === undefined ? "" : ` (${this.asked})`}: ${Excerpt.line(this.rule)}`
  }
}

/** The errors of the connection below a call. @category errors @since 0.1.0 */
export type LineError = Exclude<Caller.CallError, Caller.RemoteError>

/** How a request may fail. @category errors @since 0.1.0 */
export type McpCallError =
  | ProtocolError
  | UnsupportedCapability
  | SessionExpired
  | InvalidResult
  | AuthorizationError
  | LineError

/** How a request about a task may fail. @category errors @since 0.1.0 */
export type McpTaskError = McpCallError | TaskError

/** How a request may fail that the server may answer by asking for input. @category errors @since 0.1.0 */
export type McpAskedError = McpCallError | InputRefused

/** How a call of a tool may fail. @category errors @since 0.1.0 */
export type McpToolError = McpAskedError | ToolError | TaskError

/**
 * The handshake failed: no revision in common.
 *
 * @category errors
 * @since 0.1.0
 */
export class NoCommonRevision extends Schema.TaggedError<NoCommonRevision>()("NoCommonRevision", {
  /** The revisions that the server names. */
  offered: Schema.Array(Schema.String),
  /** The revisions that the client may speak. */
  ours: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `no revision in common: the server has ${Excerpt.line(this.offered.join(", "))}, we have ${
      this.ours.join(", ")
    }`
  }
}

/** How connecting may fail. @category errors @since 0.1.0 */
export type McpConnectError = McpCallError | NoCommonRevision
