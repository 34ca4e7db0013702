/**
 * How clients ask to hear of changes: resource by resource in the legacy era, in
 * the modern one by a request that stays open, whose stream has nothing that was
 * not asked for.
 */
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import * as RequestId from "@parley/protocol/RequestId"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { SubscriptionFilter } from "../../../payload/Requests.ts"
import * as Tasks from "../../../payload/Tasks.ts"
import * as Envelope from "../../../wire/Envelope.ts"
import * as McpError from "../../../wire/McpError.ts"
import { done } from "../definition/handler.ts"
import type { Answer, LiveCall } from "../dispatch/LiveCall.ts"
import { whereReadable } from "../lists/visibility.ts"
import { missing } from "../tasks/creation.ts"
import { watchable, whileWatching } from "../tasks/watching.ts"
import { type Change, notificationOf, Watcher } from "./Watcher.ts"

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
  return done
}

const tooMany = (limit: number, what = "resources") =>
  Exit.fail(ErrorResponse.make(McpError.Overloaded, `No more than ${limit} ${what} at once`))

/** @internal */
export const listen = (call: LiveCall): Answer => {
  const { connection: { server }, codec } = call
  const decoded = codec.decode.listenParams(call.params)
  if (Result.isFailure(decoded)) return Exit.fail(McpError.invalidParams(decoded.failure))
  const { notifications } = decoded.success
  const { resourceSubscriptions = [], taskIds } = notifications
  const hasTasks = taskIds !== undefined && server.tasks !== undefined
  if (hasTasks && !Tasks.hasExtension(call.client.capabilities)) return Exit.fail(missing)
  return resourceSubscriptions.length + (taskIds ?? []).length > server.subscriptions
    ? tooMany(server.subscriptions, taskIds === undefined ? "resources" : "resources and tasks")
    : Effect.flatMap(agreed(call, notifications), (filter) => stream(call, filter))
}

/** The part of the wishes that exists. Nobody hears of a resource that they may not read. */
const agreed = (call: LiveCall, wanted: SubscriptionFilter): Effect.Effect<SubscriptionFilter> => {
  const { prompts, resources, tools } = call.connection.server.offer.capabilities
  const readable = Effect.filter(
    wanted.resourceSubscriptions ?? [],
    (uri) => {
      const readable = whereReadable(call, uri, () => Exit.succeed(true), () => Exit.succeed(false))
      return Effect.orElseSucceed(readable, () => false)
    }
  )
  return Effect.map(Effect.all([readable, watchable(call, wanted.taskIds)]), ([uris, taskIds]) => ({
    ...(taskIds === undefined ? undefined : { taskIds }),
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
        Effect.andThen(filter.taskIds === undefined ? loop : whileWatching(call, filter.taskIds, tag, loop)),
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

/** The id of the request that opened the stream. One with more digits than JSON numbers keep is its text. */
const subscriptionId = (id: LiveCall["id"]): string | number =>
  typeof id === "string" || typeof id === "number" ? id : RequestId.toText(id ?? "")
