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
  const handed = take && new LogQueue(() => session.agreed().serverInfo?.name ?? "", take, fork)
  return notices.on("notifications/message", (params) => {
    const { serverInfo, codec } = session.agreed()
    const read = codec.decode.log(params)
    if (Result.isFailure(read)) {
      return void fork(
        Effect.logDebug(`a log message of the server does not fit: ${Excerpt.line(read.failure.message)}`)
      )
    }
    if (handed !== undefined) return handed.push(read.success)
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

/** Log messages that may wait for their handler, and their characters beside the newest. */
const mostWaiting = 256
const mostCharacters = 1024 * 1024

/** Hands log messages to a handler in their order. A server logs as much as it wants: of those that wait, the oldest go first. */
class LogQueue {
  readonly #server: () => string
  readonly #handle: (message: LogParams) => Effect.Effect<void>
  readonly #fork: (effect: Effect.Effect<void>) => unknown
  readonly #waiting: Array<{ readonly message: LogParams; readonly size: number }> = []
  #size = 0
  #isBusy = false
  #dropped = 0

  constructor(
    server: () => string,
    handle: (message: LogParams) => Effect.Effect<void>,
    fork: (effect: Effect.Effect<void>) => unknown
  ) {
    this.#server = server
    this.#handle = handle
    this.#fork = fork
  }

  push(message: LogParams) {
    if (this.#isBusy) return this.#wait(message)
    this.#isBusy = true
    this.#fork(this.#from(message))
  }

  #from(message: LogParams): Effect.Effect<void> {
    const heard = Effect.catchCause(
      Effect.suspend(() => this.#handle(message)),
      (cause) =>
        Effect.logWarning(
          `the handler of log messages of the server ${Excerpt.line(this.#server())} failed`,
          Excerpt.cause(cause)
        )
    )
    return Effect.andThen(
      heard,
      Effect.suspend(() => {
        const next = this.#shift()
        if (next !== undefined) return this.#from(next)
        this.#isBusy = false
        const dropped = this.#dropped
        this.#dropped = 0
        // escaped: a number of ours
        return dropped === 0 ? Effect.void : Effect.logWarning(
          `${dropped} log messages of the server ${Excerpt.line(this.#server())} were dropped: their handler is slow`
        )
      })
    )
  }

  #wait(message: LogParams) {
    const size = JSON.stringify(message).length
    while (this.#waiting.length > 0 && (this.#waiting.length >= mostWaiting || this.#size + size > mostCharacters)) {
      this.#shift()
      this.#dropped++
    }
    this.#size += size
    this.#waiting.push({ message, size })
  }

  #shift(): LogParams | undefined {
    const first = this.#waiting.shift()
    this.#size -= first?.size ?? 0
    return first?.message
  }
}
