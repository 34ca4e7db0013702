/**
 * How a command ends whose server did not give what was asked for.
 */
import type * as McpClientError from "@parley/mcp/client/McpClientError"
import { describe } from "@parley/peer/CallerError"
import type { TransportError } from "@parley/transport/TransportError"
import { at, CommandError, ExitCode, line, usage } from "../terminal/CommandError.ts"

/** What may go wrong with a server, but for what a tool says. */
export type Failure = McpClientError.McpAskedError | McpClientError.McpConnectError | TransportError

/** The end of the command, and what is said about it. The server has a name. */
export const explain = (error: Failure | McpClientError.ToolError, name: string): CommandError => {
  switch (error._tag) {
    case "ToolError":
      return remote(error.message)
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
    case "AuthorizationError":
      return line(
        error.reason._tag === "Required"
          ? `${name} wants somebody to sign in\nhint: parley mcp login ${name}`
          : error.message
      )
    case "InvalidArguments":
      return usage(error.message, "they may be nested too deeply")
    default:
      return line(at(name, error.message))
  }
}

const remote = (message: string) => new CommandError({ exitCode: ExitCode.remote, message })
