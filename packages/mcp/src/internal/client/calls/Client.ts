/**
 * The client of one transport: its parts, joined.
 */
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import { withoutCall } from "@parley/peer/Handler"
import * as Router from "@parley/peer/Router"
import { Excerpt } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Tracer from "effect/Tracer"
import * as CallClock from "../../../client/CallClock.ts"
import type { ClientExtension, ExtensionRequirements } from "../../../client/ClientExtension.ts"
import type { ClientOptions } from "../../../client/ClientOptions.ts"
import type { Open } from "../../../client/McpClientTransport.ts"
import type { McpHandlers, Requirements } from "../../../client/McpHandlers.ts"
import * as QuietLog from "../../../shared/QuietLog.ts"
import * as McpDialect from "../../../wire/McpDialect.ts"
import type { RevisionCodec } from "../../../wire/RevisionCodec.ts"
import { isObject } from "../../Json.ts"
import type { Place } from "../../telemetry/attributes.ts"
import { beginSession } from "../../telemetry/Durations.ts"
import * as Operation from "../../telemetry/operation.ts"
import * as Answers from "../answers/Answers.ts"
import * as InputRounds from "../answers/InputRounds.ts"
import * as Notices from "../changes/Notices.ts"
import * as ListReader from "../lists/ListReader.ts"
import * as ResultCache from "../lists/ResultCache.ts"
import * as ClientConfig from "../negotiation/ClientConfig.ts"
import * as ClientSession from "../negotiation/ClientSession.ts"
import * as CallDeadlines from "../requests/CallDeadlines.ts"
import * as Sender from "../requests/Sender.ts"
import * as Extensions from "./Extensions.ts"
import * as Methods from "./Methods.ts"

/** @internal */
export const make = Effect.fnUntraced(function*<
  H extends McpHandlers<unknown>,
  X extends ClientExtension<unknown>,
  E,
  R2
>(
  options: ClientOptions<H, X>,
  open: Open<E, R2>
) {
  const context = yield* Effect.context<Requirements<H> | ExtensionRequirements<X>>()
  const scope = yield* Effect.scope
  const fork = Effect.runForkWith(context)
  const quiet = QuietLog.make()
  const log = (message: string) => void fork(quiet(Excerpt.line(message, 1_024)))
  const config = ClientConfig.make(options, log)
  // Each handler requires some of the services that all of them require together.
  const handlers = (options.handlers ?? {}) as McpHandlers<Requirements<H>>
  const answer = Answers.make(handlers, context)
  const clock = yield* CallClock.make
  // Handlers of the server's messages do not run for the client of the handler that may have made this.
  const own = withoutCall(context)
  const host = Extensions.hostOf(config, clock, answer, scope, () => ({ ...parts, methods }))
  const extensions = Extensions.joined(options.extensions ?? [], own, host)

  let spoken: RevisionCodec | undefined
  let session: ClientSession.ClientSession | undefined

  const place: Place = {
    get network() {
      return opened.network ?? {}
    },
    isTimed: options.metrics === true,
    session: () => opened.session?.(),
    revision: () => spoken?.revision
  }

  const router = yield* Router.make({
    fallback: (call) => {
      const { id, method, params } = call
      // A server whose revision asks inside results sends no requests of its own.
      if (id !== undefined && spoken?.features.clientRequests === "requests" && spoken.clientServes(method)) {
        const codec = spoken
        // A question does not say which call it belongs to, so no call runs out while one is answered.
        const handled = (params: Schema.Json | undefined) => CallClock.stopDuring(clock, answer(codec, method, params))
        const served = extensions.serve({ codec, method, params, answer: handled }) ??
          (method === "ping" ? answer(codec, method, params) : handled(params))
        return Operation.serve(place, call, () => false, served)
      }
      const hear = id === undefined ? extensions.hear.get(method) : undefined
      if (hear !== undefined) return hear(params)
      const other = options.router?.handlerOf(method)
      if (other !== undefined) return other(call)
      // No revision has a notification that none of a listener, an extension and the router takes.
      if (id === undefined) return Effect.void
      return method === "ping" && spoken === undefined
        ? Effect.succeed({})
        : Effect.fail(ErrorResponse.methodNotFound(method))
    }
  })

  const opened = yield* open({
    router,
    dialect: (options.strict === true ? McpDialect.make : McpDialect.makeClient)(
      () => spoken,
      () => options.keepDigits === true
    ),
    limits: options.limits,
    timeout: config.timeout,
    clock,
    onSessionExpired: () => {
      if (session === undefined || (opened.kind === "process" && session.streams === 0)) return
      fork(Effect.forkIn(Effect.ignore(session.renew(session.count())), scope))
    }
  })

  const ended = beginSession("client", place, context)
  if (ended !== undefined) yield* Scope.addFinalizer(scope, Effect.sync(ended))

  const settled: CallDeadlines.TimedTransport = {
    ...CallDeadlines.timed(opened, clock, config.timeout),
    // A server may ask as soon as it hears that we are there.
    settle: (codec) =>
      Effect.suspend(() => {
        spoken = codec
        return opened.settle(codec)
      })
  }
  // Calls pay nothing where nobody will look.
  const isObserved = place.isTimed || context.mapUnsafe.has(Tracer.Tracer.key)
  const transport = isObserved ? observed(place, settled) : settled

  const notices = yield* Notices.make(transport, extensions.notifications)
  const made = session = yield* ClientSession.make(transport, config, scope)
  const sender = Sender.make(transport, config, made)
  const cache = ResultCache.make(config.cacheSize, notices, transport.identity)
  const { log: takeLog } = handlers
  Notices.writeLogs(
    notices,
    made,
    context,
    takeLog === undefined ? undefined : (message) => Effect.provideContext(takeLog(message), own)
  )
  notices.on("notifications/elicitation/complete", (params) => {
    const id = isObject(params) ? params["elicitationId"] : undefined
    if (typeof id !== "string" || handlers.elicitComplete === undefined) return
    fork(Effect.forkIn(handlers.elicitComplete(id), scope))
  })

  const list = ListReader.make(sender, made, cache, config.isStrict)
  const parts = { transport, session: made, sender, notices, cache, config, list, log }
  const methods = Methods.make({
    ...parts,
    rounds: InputRounds.make(sender, made, answer, config.maxInputRounds, extensions.results),
    callTool: extensions.callTool
  })

  const level = methods.sayLogLevel
  made.onRenewed.add(() => void fork(Effect.forkIn(level, scope)))
  yield* level
  return { ...methods, extension: (identifier: string) => extensions.services.get(identifier) }
})

/** The transport of a client, with a span and a duration for each message that it sends. */
const observed = (place: Place, inner: CallDeadlines.TimedTransport): CallDeadlines.TimedTransport => ({
  ...inner,
  request: (method, params, options) =>
    Operation.send(place, method, params, options, (params, options) => inner.request(method, params, options)),
  notify: (method, params) => Operation.send(place, method, params, undefined, (params) => inner.notify(method, params))
})
