/**
 * How a command ends whose server did not give what was asked for.
 */
import type * as McpClientError from "@parley/mcp/client/McpClientError"
import { describe } from "@parley/peer/CallerError"
import type { TransportError } from "@parley/transport/TransportError"
import { at, CommandError, ExitCode, line, usage } from "../terminal/CommandError.ts"
import { printableLine } from "../terminal/output.ts"

/** What may go wrong with a server, but for what a tool says. */
export type Failure =
  | McpClientError.McpAskedError
  | McpClientError.McpConnectError
  | McpClientError.TaskError
  | TransportError

/** The end of the command, and what is said about it. The server has a name. */
export const explain = (error: Failure | McpClientError.ToolError, name: string): CommandError => {
  switch (error._tag) {
    case "ToolError":
      return remote(error.message)
    case "TaskError":
      return error.reason._tag === "Overdue" ? line(error.message) : remote(error.message)
    case "ProtocolError":
      return remote(
        [
          `error ${error.code}: ${error.text}`,
          ...error.data === undefined ? [] : [`data: ${JSON.stringify(error.data)}`]
        ].join("\n")
      )
    case "UnsupportedCapability":
      return remote(error.message)
    case "Disconnected":
      return line(at(name, describe(error.reason)))
    case "HttpStatusError":
      return line(error.method === undefined ? `the other side answered with ${error.message}` : error.message)
    case "AuthorizationError": {
      const { reason } = error
      if (reason._tag !== "Required") return line(error.message)
      const { scopes } = reason
      const flags = (scopes ?? []).map((scope) => ` --scope ${wordOf(printableLine(scope))}`).join("")
      const wish = scopes === undefined
        ? "wants somebody to sign in"
        : "wants more scopes than somebody has signed in for"
      return line(`${name} ${wish}\nhint: parley mcp login ${name}${flags}`)
    }
    case "InvalidArguments":
      return usage(error.message, "they may be nested too deeply")
    default:
      return line(at(name, error.message))
  }
}

/** A word as a shell takes it: the server chose it, and somebody copies the line. */
const wordOf = (text: string): string => /^[\w:./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

const remote = (message: string) => new CommandError({ exitCode: ExitCode.remote, message })
