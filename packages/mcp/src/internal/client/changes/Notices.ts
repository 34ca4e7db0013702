/**
 * The server's notifications, for any number of listeners of each method. A transport takes one listener of a method.
 * Log messages of the server go to the handler for them, or to our own log, with the nearest level.
 */
import type { Disconnected } from "@parley/peer/Caller"
import type * as Message from "@parley/protocol/Message"
import { Excerpt } from "@parley/protocol/shared"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as EffectLevel from "effect/LogLevel"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { McpClientTransport } from "../../../client/McpClientTransport.ts"
import type { LogLevel } from "../../../payload/LogLevel.ts"
import type { LogParams } from "../../../payload/Requests.ts"
import type { ClientSession } from "../negotiation/ClientSession.ts"

/** Hears the params of a notification. It runs in the receive loop. @internal */
export type Hear = (params: Message.Params | undefined) => void

/** @internal */
export interface Notices {
  readonly has: (method: string) => boolean
  /** Hears the notifications of a method, until the function that it gives is called. */
  readonly on: (method: string, hear: Hear) => () => void
}

/** All that a server may say by itself. Progress belongs to its call; what comes here goes on behind the response. */
const methods = [
  "notifications/progress",
  "notifications/message",
  "notifications/resources/updated",
  "notifications/resources/list_changed",
  "notifications/tools/list_changed",
  "notifications/prompts/list_changed",
  "notifications/subscriptions/acknowledged",
  "notifications/elicitation/complete"
]

/** Notifications of `extensions` go on to their handlers. @internal */
export const make = (
  transport: McpClientTransport,
  extensions: ReadonlySet<string>
): Effect.Effect<Notices, Disconnected, Scope.Scope> => {
  const hearers = new Map([...methods, ...extensions].map((method) => [method, new Set<{ readonly hear: Hear }>()]))
  const notices: Notices = {
    has: (method) => hearers.has(method),
    on: (method, hear) => {
      const entry = { hear }
      hearers.get(method)?.add(entry)
      return () => void hearers.get(method)?.delete(entry)
    }
  }
  return Effect.as(
    Effect.forEach(hearers, ([method, entries]) =>
      transport.listen(method, {
        take: (params) => {
          for (const { hear } of [...entries]) hear(params)
          return !extensions.has(method)
        },
        end: () => {}
      }), { discard: true }),
    notices
  )
}

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
export const writeLogs = (
  notices: Notices,
  session: ClientSession,
  context: Context.Context<never>,
  take?: (message: LogParams) => Effect.Effect<void>
): () => void => {
  const fork = Effect.runForkWith(context)
  return notices.on("notifications/message", (params) => {
    const { serverInfo, codec } = session.agreed()
    const read = codec.decode.log(params)
    if (Result.isFailure(read)) {
      return void fork(
        Effect.logDebug(`a log message of the server does not fit: ${Excerpt.line(read.failure.message)}`)
      )
    }
    if (take !== undefined) return void fork(take(read.success))
    const { data, level, logger } = read.success
    const annotations = {
      "mcp.level": level,
      ...(logger !== undefined && { "mcp.logger": Excerpt.line(logger) }),
      ...(serverInfo !== undefined && { "mcp.server": Excerpt.line(serverInfo.name) })
    }
    // escaped: above
    fork(Effect.annotateLogs(Effect.logWithLevel(levels[level])(Excerpt.value(data)), annotations))
  })
}
