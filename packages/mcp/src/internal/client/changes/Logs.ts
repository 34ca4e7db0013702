/**
 * The server's log messages, in our own log: with the nearest level, and what the
 * server said of them as annotations.
 */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as EffectLevel from "effect/LogLevel"
import * as Result from "effect/Result"
import type { LogLevel } from "../../../payload/LogLevel.ts"
import type { Session } from "../negotiation/ClientSession.ts"
import type * as Notices from "./Notices.ts"

const levels: { readonly [level in LogLevel]: EffectLevel.Severity } = {
  debug: "Debug",
  info: "Info",
  notice: "Info",
  warning: "Warn",
  error: "Error",
  critical: "Fatal",
  alert: "Fatal",
  emergency: "Fatal"
}

/** Writes what the server logs to the loggers of a context. @internal */
export const write = (
  notices: Notices.Notices,
  session: Session,
  context: Context.Context<never>
): () => void => {
  const fork = Effect.runForkWith(context)
  return notices.on("notifications/message", (params) => {
    const { serverInfo, wire } = session.agreed()
    const read = wire.decode.log(params)
    if (Result.isFailure(read)) {
      return void fork(Effect.logDebug(`a log message of the server does not fit: ${read.failure.message}`))
    }
    const { data, level, logger } = read.success
    const annotations = {
      "mcp.level": level,
      ...(logger !== undefined && { "mcp.logger": logger }),
      ...(serverInfo !== undefined && { "mcp.server": serverInfo.name })
    }
    fork(Effect.annotateLogs(Effect.logWithLevel(levels[level])(data), annotations))
  })
}
