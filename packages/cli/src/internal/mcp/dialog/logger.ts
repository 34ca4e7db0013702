/**
 * The log messages of a server and of the client, as lines above the margin.
 */
import type { LogLevel as McpLevel } from "@parley/mcp/payload/LogLevel"
import * as Logger from "effect/Logger"
import type * as LogLevel from "effect/LogLevel"
import * as References from "effect/References"
import type { Margin } from "./Margin.ts"

/** Writes a line for each message: its level, its logger if it has one, and what it says. */
export const make = (margin: Margin): Logger.Logger<unknown, void> =>
  Logger.make(({ fiber, logLevel, message }) => {
    const annotations = fiber.getRef(References.CurrentLogAnnotations)
    const level = annotations["mcp.level"] ?? logLevel.toLowerCase()
    const name = annotations["mcp.logger"]
    const texts = Array.isArray(message) ? message.map(textOf) : [textOf(message)]
    margin.say(`${name === undefined ? "" : `${name} `}${level}: ${texts.join(" ")}`)
  })

const textOf = (message: unknown): string =>
  typeof message === "string"
    ? message
    : message instanceof Error
    ? message.message
    : JSON.stringify(message) ?? String(message)

/** The level that a server is asked to log, if the command shows nothing below a level. */
export const levelOf = (minimum: LogLevel.LogLevel): McpLevel | undefined => {
  switch (minimum) {
    case "All":
    case "Trace":
    case "Debug":
      return "debug"
    case "Info":
      return "info"
    case "Warn":
      return "warning"
    case "Error":
      return "error"
    case "Fatal":
      return "critical"
    case "None":
      return undefined
  }
}
