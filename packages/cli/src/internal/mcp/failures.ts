/**
 * The failures of requests to a server, as failures of the command.
 */
import type * as McpClientError from "@parley/mcp/client/McpClientError"
import { describe } from "@parley/peer/Caller"
import type { TransportError } from "@parley/transport/Transport"
import type * as Schema from "effect/Schema"
import { at, CommandError, ExitCode, line, usage, withHint } from "../terminal/CommandError.ts"
import { printableLine } from "../terminal/output.ts"

/** How a request to a server may fail, except for the error of a tool. */
export type Failure =
  | McpClientError.McpAskedError
  | McpClientError.McpConnectError
  | McpClientError.TaskError
  | TransportError

/** The failure of the command, with the name of the server. */
export const explain = (error: Failure | McpClientError.ToolError, name: string): CommandError => {
  const { exitCode, message } = describeAt(error, name)
  return new CommandError({
    exitCode,
    message,
    details: { tag: error._tag, endpoint: name, ...detailsOf(error, message) }
  })
}

/** The members of an error object are those that the server sent. */
const detailsOf = (error: Failure | McpClientError.ToolError, message: string): Schema.JsonObject =>
  error._tag !== "ProtocolError" ? { message } : {
    method: error.method,
    code: error.code,
    message: error.text,
    ...(error.data === undefined ? {} : { data: error.data })
  }

const describeAt = (error: Failure | McpClientError.ToolError, name: string): CommandError => {
  switch (error._tag) {
    case "ToolError":
      return remote(at(name, error.message))
    case "TaskError":
      return error.reason._tag === "Overdue" ? line(at(name, error.message)) : remote(at(name, error.message))
    case "ProtocolError":
      return remote(
        [at(name, error.message), ...error.data === undefined ? [] : [`data: ${JSON.stringify(error.data)}`]].join("\n")
      )
    case "UnsupportedCapability":
      return remote(at(name, error.message))
    case "Disconnected":
      return line(at(name, describe(error.reason)))
    case "HttpStatusError":
      return line(error.url === undefined ? at(name, error.message) : error.message)
    case "AuthorizationError": {
      const { reason } = error
      if (reason._tag !== "Required") return line(error.message)
      const { scopes } = reason
      const flags = (scopes ?? []).map((scope) => ` --scope ${wordOf(printableLine(scope))}`).join("")
      const demand = scopes === undefined ? "requires a login" : "requires more scopes than the login has"
      return line(withHint(`${name} ${demand}`, `run \`parley mcp login ${name}${flags}\``))
    }
    case "InvalidArguments":
      return usage(at(name, error.message), "they may be nested too deeply")
    default:
      return line(at(name, error.message))
  }
}

/** A word quoted for a shell: the server chose it, and a person copies the line. */
const wordOf = (text: string): string => /^[\w:./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

const remote = (message: string) => new CommandError({ exitCode: ExitCode.remote, message })
