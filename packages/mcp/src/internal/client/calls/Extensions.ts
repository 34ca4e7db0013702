/**
 * The extensions of a client, together, and the parts of the client that they are given.
 */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as CallClock from "../../../client/CallClock.ts"
import type {
  BoundClientExtension,
  ClientExtension,
  ClientHost,
  ExtensionRequirements,
  ReadResult,
  ServerRequest
} from "../../../client/ClientExtension.ts"
import type { McpCallError } from "../../../client/McpClientError.ts"
import { isObject } from "../../Json.ts"
import type { Answer } from "../answers/Answers.ts"
import { refusedBy } from "../answers/InputRounds.ts"
import type { ClientConfig } from "../negotiation/ClientConfig.ts"
import * as failures from "../negotiation/failures.ts"
import { reading } from "../requests/Sender.ts"
import type { Methods, Parts } from "./Methods.ts"

/** The extensions that a client uses, together. @internal */
export interface Extensions extends Pick<BoundClientExtension, "hear" | "results" | "callTool"> {
  /** The notifications of servers, by their names on the wire. */
  readonly notifications: ReadonlySet<string>
  /** Serves a request of a server, where an extension does so. */
  readonly serve: (request: ServerRequest) => ReturnType<NonNullable<BoundClientExtension["serve"]>>
  /** The interfaces for programs, by identifier. */
  readonly services: ReadonlyMap<string, unknown>
}

/**
 * Joins extensions. Partial: throws where two have one name, one notification, or one kind of result, or make the calls of
 * tools.
 *
 * @internal
 */
export const joined = <X extends ClientExtension<unknown>>(
  all: ReadonlyArray<X>,
  context: Context.Context<ExtensionRequirements<X>>,
  host: ClientHost
): Extensions => {
  const notifications = new Set<string>()
  const hear = new Map<string, NonNullable<ReturnType<BoundClientExtension["hear"]["get"]>>>()
  const results = new Map<string, Map<string, ReadResult>>()
  const services = new Map<string, unknown>()
  const serving: Array<NonNullable<BoundClientExtension["serve"]>> = []
  let callTool: BoundClientExtension["callTool"]
  for (const one of all) {
    // The requirements of an extension are its type parameter.
    const extension = one as ClientExtension<unknown> as ClientExtension<ExtensionRequirements<X>>
    const { identifier } = extension
    if (services.has(identifier)) throw new TypeError(`there is an extension ${identifier} already`)
    for (const method of extension.notifications) {
      if (notifications.has(method)) {
        throw new TypeError(`two extensions have the notification ${method}, one of them ${identifier}`)
      }
      notifications.add(method)
    }
    const bound = extension.bind(context, host)
    services.set(identifier, bound.service)
    for (const [method, hearer] of bound.hear) hear.set(method, hearer)
    for (const [method, readers] of bound.results) {
      const known = results.get(method) ?? new Map<string, ReadResult>()
      for (const [resultType, read] of readers) {
        if (known.has(resultType)) {
          throw new TypeError(`two extensions have the result ${resultType} of ${method}, one of them ${identifier}`)
        }
        known.set(resultType, read)
      }
      results.set(method, known)
    }
    if (bound.serve !== undefined) serving.push(bound.serve)
    if (bound.callTool === undefined) continue
    if (callTool !== undefined) throw new TypeError(`two extensions make calls of tools, one of them ${identifier}`)
    callTool = bound.callTool
  }
  return {
    notifications,
    hear,
    results,
    services,
    callTool,
    serve: (request) => {
      for (const serve of serving) {
        const served = serve(request)
        if (served !== undefined) return served
      }
      return undefined
    }
  }
}

/** The parts of a client that is made, or about to be. */
interface Made extends Omit<Parts, "rounds" | "callTool"> {
  readonly methods: Methods
}

/** Gives extensions the parts of a client, which has them before its first message. @internal */
export const hostOf = (
  config: ClientConfig,
  clock: CallClock.CallClock,
  answer: Answer,
  scope: Scope.Scope,
  made: () => Made
): ClientHost => {
  const retried: ClientHost["retried"] = (request) => {
    const isLasting = made().transport.kind !== "connection"
    const attempt = (count: number): typeof request =>
      Effect.catch(
        request,
        (error) =>
          isPassing(error, isLasting) && count <= mostOf(error)
            ? Effect.andThen(failures.pauseAfter(count), attempt(count + 1))
            : Effect.fail(error)
      )
    return attempt(1)
  }
  return {
    codec: () => made().session.agreed().codec,
    capabilities: () => made().session.agreed().capabilities,
    declared: config.capabilities,
    maxInputRounds: config.maxInputRounds,
    scope,
    clock,
    request: (method, params, options) => Effect.suspend(() => made().sender.send(method, params, options)),
    retried: (request) => Effect.suspend(() => retried(request)),
    notify: (method, params) => Effect.suspend(() => made().sender.notify(method, params)),
    read: (method, decode, json) => made().session.read(method, decode, json),
    answer: (method, asked) =>
      Effect.suspend(() =>
        Effect.mapError(
          CallClock.stopDuring(clock, answer(made().session.agreed().codec, asked.method, asked.params)),
          refusedBy(method, asked.method)
        )
      ),
    tool: (name) => Effect.suspend(() => made().methods.tools.tool(name)),
    toolCall: (name, args, options) => made().methods.tools.begin(name, args, options),
    check: (tool, json) => Effect.suspend(() => made().methods.tools.check(tool, json)),
    hear: (method, hear) => made().notices.on(method, hear),
    hearProgress: (token, hear) => {
      const read = reading(hear)
      return made().notices.on("notifications/progress", (params) => {
        if (isObject(params) && params["progressToken"] === token) read(params)
      })
    },
    listen: (filter, methods) => made().methods.listen(filter, methods),
    list: (options) => {
      const reader = () => made().list(options)
      return {
        stream: Stream.suspend(() => reader().stream),
        all: (options) => Effect.suspend(() => reader().all(options))
      }
    }
  }
}

/** How often in a row an answer may be unreadable: it broke off, or is always too large. */
const mostUnreadable = 2

const mostOf = ({ _tag }: McpCallError) => _tag === "InvalidResponse" ? mostUnreadable : failures.mostInRow

const isPassing = (error: McpCallError, isLasting: boolean) =>
  error._tag === "RequestTimeout" || failures.isPassing(error, isLasting)
