/**
 * How clients ask to hear of changes: resource by resource in the legacy era, in
 * the modern one by a request that stays open, whose stream has nothing that was
 * not asked for.
 */
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import * as RequestId from "@parley/protocol/RequestId"
import * as Excerpt from "@parley/protocol/text/Excerpt"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { SubscriptionFilter } from "../../../payload/Requests.ts"
import type { Change } from "../../../server/ServerChanges.ts"
import * as Envelope from "../../../wire/Envelope.ts"
import * as McpError from "../../../wire/McpError.ts"
import { done } from "../definition/handler.ts"
import { capabilitiesOf } from "../definition/ServerState.ts"
import type { Answer, LiveCall } from "../dispatch/LiveCall.ts"
import { whereReadable } from "../lists/visibility.ts"
import { notificationOf, Watcher } from "./Watcher.ts"

/** @internal */
export const subscribe = (call: LiveCall): Answer => {
  const { connection, codec } = call
  const { server } = connection
  const decoded = codec.decode.subscribeParams(call.params)
  if (Result.isFailure(decoded)) return Exit.fail(McpError.invalidParams(decoded.failure))
  const { uri } = decoded.success
  return whereReadable(
    call,
    uri,
    () => {
      const { subscriptions } = connection.record
      if (subscriptions.includes(uri)) return done
      if (subscriptions.length >= server.subscriptions) return tooMany(server.subscriptions)
      connection.update({ subscriptions: [...subscriptions, uri] })
      connection.watch(call, uri)
      return done
    },
    () => Exit.fail(McpError.resourceNotFound(codec, uri))
  )
}

/** @internal */
export const unsubscribe = ({ connection, params, codec }: LiveCall): Answer => {
  const decoded = codec.decode.subscribeParams(params)
  if (Result.isFailure(decoded)) return Exit.fail(McpError.invalidParams(decoded.failure))
  const { subscriptions } = connection.record
  const left = subscriptions.filter((uri) => uri !== decoded.success.uri)
  if (left.length < subscriptions.length) connection.update({ subscriptions: left })
  connection.unwatch(decoded.success.uri)
  return done
}

const tooMany = (limit: number) =>
  Exit.fail(ErrorResponse.make(McpError.Overloaded, `No more than ${limit} resources at once`))

/** @internal */
export const listen = (call: LiveCall): Answer => {
  const { connection: { server }, codec } = call
  const decoded = codec.decode.listenParams(call.params)
  if (Result.isFailure(decoded)) return Exit.fail(McpError.invalidParams(decoded.failure))
  const { notifications } = decoded.success
  return (notifications.resourceSubscriptions ?? []).length > server.subscriptions
    ? tooMany(server.subscriptions)
    : Effect.flatMap(agreed(call, notifications), (filter) => stream(call, filter))
}

/** The part of the wishes that exists. Nobody hears of a resource that they may not read. */
const agreed = (call: LiveCall, wanted: SubscriptionFilter): Effect.Effect<SubscriptionFilter> => {
  const { prompts, resources, tools } = capabilitiesOf(call.connection.server)
  const readable = Effect.filter(
    wanted.resourceSubscriptions ?? [],
    (uri) => {
      const readable = whereReadable(call, uri, () => Exit.succeed(true), () => Exit.succeed(false))
      return Effect.orElseSucceed(readable, () => false)
    }
  )
  return Effect.map(readable, (uris) => ({
    ...(wanted.toolsListChanged === true && tools !== undefined ? { toolsListChanged: true } : undefined),
    ...(wanted.promptsListChanged === true && prompts !== undefined ? { promptsListChanged: true } : undefined),
    ...(wanted.resourcesListChanged === true && resources !== undefined ? { resourcesListChanged: true } : undefined),
    ...(wanted.resourceSubscriptions === undefined || resources === undefined
      ? undefined
      : { resourceSubscriptions: uris })
  }))
}

const stream = (call: LiveCall, filter: SubscriptionFilter): Effect.Effect<Schema.Json> => {
  const { connection, codec } = call
  const { server } = connection
  const tag = { [Envelope.subscriptionId]: subscriptionId(call.id) }
  const uris = new Set(filter.resourceSubscriptions)
  const watcher = new Watcher((change) =>
    "list" in change ? filter[`${change.list}ListChanged`] === true : "uri" in change && uris.has(change.uri)
  )
  const send = (change: Change) => {
    const [method, params] = notificationOf(change)
    return call.call.peer.notify(method, { ...params, _meta: tag })
  }
  const watches = [...uris].flatMap((uri) => watching(call, uri, watcher) ?? [])
  const loop: Effect.Effect<void> = Effect.flatMap(watcher.next, (changes) =>
    changes.length === 0
      ? Effect.void
      // A line that is gone interrupts the call.
      : Effect.andThen(Effect.ignore(Effect.forEach(changes, send, { discard: true })), loop))
  return Effect.acquireUseRelease(
    Effect.sync(() => {
      server.watchers.add(watcher)
      connection.listening.add(watcher)
      if (connection.isClosed) watcher.close()
    }),
    () =>
      call.call.peer.notify("notifications/subscriptions/acknowledged", { notifications: filter, _meta: tag }).pipe(
        Effect.ignore,
        Effect.andThen(
          watches.length === 0 ? loop : Effect.scoped(Effect.andThen(Effect.forEach(watches, forked), loop))
        ),
        Effect.map(() => codec.seal({ _meta: tag }, server.serverInfo(codec)))
      ),
    () =>
      Effect.sync(() => {
        server.watchers.delete(watcher)
        connection.listening.delete(watcher)
        watcher.close()
      })
  )
}

/** Tells a watcher of the changes at a URI, where the feature there tells of them itself. @internal */
export const watching = (call: LiveCall, uri: string, watcher: Watcher): Effect.Effect<void> | undefined => {
  const found = [...call.offer.at(uri)].find(({ feature }) => feature.watch !== undefined)
  const changes = found?.feature.watch?.(uri, call)
  return changes === undefined ?
    undefined :
    Stream.runForEach(changes, () => Effect.sync(() => watcher.mark({ uri }))).pipe(
      Effect.catchCause((cause) => Effect.logDebug(`no changes of ${Excerpt.line(uri)} are told any more`, cause))
    )
}

const forked = (watch: Effect.Effect<void>) => Effect.forkScoped(watch)

/** The id of the request that opened the stream. One with more digits than JSON numbers keep is its text. */
const subscriptionId = (id: LiveCall["id"]): string | number =>
  typeof id === "string" || typeof id === "number" ? id : RequestId.toText(id ?? "")
