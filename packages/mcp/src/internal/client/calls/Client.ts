/**
 * The client of one link: its parts, made and joined.
 */
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import * as Router from "@parley/peer/Router"
import * as Effect from "effect/Effect"
import type { McpLink, Open } from "../../../client/McpClientTransport.ts"
import type { McpHandlers, Requirements } from "../../../client/McpHandlers.ts"
import type { Options } from "../../../McpClient.ts"
import * as McpDialect from "../../../wire/McpDialect.ts"
import type { Wire } from "../../../wire/RevisionCodec.ts"
import * as Answers from "../answers/Answers.ts"
import * as Rounds from "../answers/InputRounds.ts"
import * as Logs from "../changes/Logs.ts"
import * as Notices from "../changes/Notices.ts"
import * as Lists from "../lists/ListReader.ts"
import * as Cache from "../lists/ResultCache.ts"
import * as Config from "../negotiation/ClientConfig.ts"
import * as Session from "../negotiation/ClientSession.ts"
import * as Methods from "./Methods.ts"
import * as Requests from "./Sender.ts"

/** @internal */
export const make = Effect.fnUntraced(function*<H extends McpHandlers<unknown>, E, R2>(
  options: Options<H>,
  open: Open<E, R2>
) {
  const context = yield* Effect.context<Requirements<H>>()
  const scope = yield* Effect.scope
  const fork = Effect.runForkWith(context)
  const config = Config.make(options)
  // What each handler requires is among what they require together.
  const handlers = (options.handlers ?? {}) as McpHandlers<Requirements<H>>
  const answer = Answers.make(handlers, context)
  let spoken: Wire | undefined
  let session: Session.Session | undefined

  const router = yield* Router.make({
    fallback: (call) => {
      const { id, method, params } = call
      // Where results ask, requests do not.
      if (id !== undefined && spoken?.traits.asks === "requests" && spoken.clientServes(method)) {
        return answer(spoken, method, params)
      }
      const other = options.router?.handlerOf(method)
      if (other !== undefined) return other(call)
      // Notifications that nobody listens to are of no revision that we speak.
      if (id === undefined) return Effect.void
      return method === "ping" && spoken === undefined
        ? Effect.succeed({})
        : Effect.fail(ErrorResponse.methodNotFound(method))
    }
  })

  const opened = yield* open({
    router,
    dialect: McpDialect.make(() => spoken),
    limits: options.limits,
    timeout: config.timeout,
    onSessionExpired: () => {
      if (session !== undefined) fork(Effect.forkIn(Effect.ignore(session.renew(session.count())), scope))
    }
  })

  const link: McpLink = {
    ...opened,
    // A server may ask as soon as it hears that we are there.
    settle: (wire) =>
      Effect.suspend(() => {
        spoken = wire
        return opened.settle(wire)
      })
  }

  const notices = yield* Notices.make(link)
  const made = session = yield* Session.make(link, config, scope)
  const requests = Requests.make(link, config, made)
  const cache = Cache.make(config.cached, notices)
  Logs.write(notices, made, context)

  const methods = Methods.make({
    link,
    session: made,
    requests,
    notices,
    cache,
    rounds: Rounds.make(requests, made, answer, config.rounds),
    list: Lists.make(requests, made, cache),
    log: (message) => void fork(Effect.logWarning(message)),
    patience: config.timeout
  })

  const level = methods.sayLogLevel
  made.onRenewed.add(() => void fork(Effect.forkIn(level, scope)))
  yield* level
  return methods
})
