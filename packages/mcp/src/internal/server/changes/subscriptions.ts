/**
 * How clients ask to hear of changes: resource by resource in the legacy era, in
 * the modern one by a request that stays open, whose stream has nothing that was
 * not asked for.
 */
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import { Excerpt, RequestId } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { memoize } from "effect/Function"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { ClientCapabilities } from "../../../payload/Capabilities.ts"
import type { SubscriptionFilter } from "../../../payload/Requests.ts"
import type { Change, ExtensionNotification } from "../../../server/ServerChanges.ts"
import * as Uri from "../../../shared/Uri.ts"
import * as Envelope from "../../../wire/Envelope.ts"
import * as McpError from "../../../wire/McpError.ts"
import type { Era } from "../../../wire/Revision.ts"
import * as WireIssue from "../../../wire/WireIssue.ts"
import { isArray, isObject, own } from "../../Json.ts"
import type { Offer, Readable } from "../definition/Offer.ts"
import { kindsOf, type ServerState } from "../definition/ServerState.ts"
import type { Answer, LiveCall } from "../dispatch/LiveCall.ts"
import type { Bound, ExtensionTopic } from "../extensions/Extensions.ts"
import { done } from "../feature/handler.ts"
import { whereReadable, whereVisible } from "../lists/visibility.ts"
import { notificationOf, Watcher } from "./Watcher.ts"

/** @internal */
export const subscribe = (call: LiveCall): Answer => {
  const { connection, codec } = call
  const { server } = connection
  // Nothing would be left of it behind the answer.
  if (!connection.isLasting) return Exit.fail(ErrorResponse.methodNotFound("resources/subscribe"))
  const decoded = codec.decode.subscribeParams(call.params)
  if (Result.isFailure(decoded)) return Exit.fail(McpError.invalidParams(decoded.failure))
  const { uri } = decoded.success
  return whereReadable(
    call,
    uri,
    (found) => {
      const { subscriptions } = connection.record
      if (!subscriptions.includes(uri)) {
        if (subscriptions.length >= server.subscriptions) return tooMany(server.subscriptions)
        connection.update({ subscriptions: [...subscriptions, uri] })
      }
      connection.watch(uri, (watcher) => watching(call, uri, found, watcher))
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
  const left = subscriptions.filter((uri) => !Uri.isSame(uri, decoded.success.uri))
  if (left.length < subscriptions.length) connection.update({ subscriptions: left })
  connection.unwatch(decoded.success.uri)
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
  const { resourceSubscriptions = [] } = notifications
  const wanted = topicsOf(call, notifications)
  if (Result.isFailure(wanted)) return Exit.fail(McpError.invalidParams(wanted.failure))
  const named = wanted.success.reduce((sum, { values }) => sum + (values?.length ?? 0), resourceSubscriptions.length)
  return named > server.subscriptions
    ? tooMany(server.subscriptions, ["resources", ...wanted.success.map(({ name }) => name)].join(" and "))
    : Effect.flatMap(
      Effect.all([agreed(call, notifications), Effect.forEach(wanted.success, (topic) => permitted(call, topic))]),
      ([{ filter, found }, topics]) => stream(call, filter, found, topics.flat())
    )
}

/** A topic of an extension that a client asks for, with the values of its key. */
interface Wanted extends ExtensionTopic {
  readonly values: ReadonlyArray<string> | undefined
}

/** The topics that are asked for, of extensions that the client has declared. */
const topicsOf = (
  { client, codec, connection: { server } }: LiveCall,
  filter: Schema.JsonObject
): Result.Result<ReadonlyArray<Wanted>, WireIssue.WireIssue> => {
  const wanted: Array<Wanted> = []
  for (const one of server.extensions.topics(codec.era)) {
    const value = own(filter, one.name)
    if (value === undefined || value === false || !hasDeclared(one.feature, client.capabilities)) continue
    if (one.topic.key === undefined && value === true) wanted.push({ ...one, values: undefined })
    else if (one.topic.key !== undefined && isTexts(value)) wanted.push({ ...one, values: value })
    else {
      const message = one.topic.key === undefined ? "expected a boolean" : "expected an array of strings"
      return Result.fail(WireIssue.make(message, ["notifications", one.name]))
    }
  }
  return Result.succeed(wanted)
}

const isTexts = (value: Schema.Json): value is ReadonlyArray<string> =>
  isArray(value) && value.every((text) => typeof text === "string")

/** The topic, with the values that the call may listen to; no element where it may not listen at all. */
const permitted = (
  call: LiveCall,
  topic: Wanted
): Effect.Effect<ReadonlyArray<Wanted>, ErrorResponse.ErrorResponse> => {
  const visible = whereVisible(call, topic, () => Exit.succeed(true), () => Exit.succeed(false))
  return Effect.flatMap(Effect.orElseSucceed(visible, () => false), (isVisible) => {
    if (!isVisible) return Exit.succeed([])
    if (topic.values === undefined) return Exit.succeed([topic])
    return Effect.map(topic.bound.permitted(topic.name, topic.values, call), (values) => [{ ...topic, values }])
  })
}

/** Whether a client has declared what it must for an extension. */
const hasDeclared = ({ info, readClient }: Bound["feature"], { extensions = {} }: ClientCapabilities): boolean => {
  if (readClient === undefined) return true
  const declared = own(extensions, info.name)
  return isObject(declared) && readClient(declared) === undefined
}

/** Whether a client has declared what it must to hear of a notification. @internal */
export const isDeclared = (
  { extensions }: ServerState,
  era: Era,
  { method }: ExtensionNotification,
  capabilities: ClientCapabilities
): boolean =>
  extensions.topics(era).some(({ feature, topic }) => topic.method === method && hasDeclared(feature, capabilities))

/** The part of the wishes of a client that it hears of. */
interface Agreed {
  readonly filter: SubscriptionFilter
  /** The features that its client reads at the URIs of the filter. */
  readonly found: ReadonlyMap<string, Readable>
}

/** The part of the wishes that exists. Nobody hears of a resource that they may not read. */
const agreed = (call: LiveCall, wanted: SubscriptionFilter): Effect.Effect<Agreed> => {
  const { prompts, resources, tools } = kindsOf(call.connection.server)
  const readable = Effect.forEach(
    wanted.resourceSubscriptions ?? [],
    (uri) => {
      const found = whereReadable(call, uri, (found) => Exit.succeed([[uri, found] as const]), () => Exit.succeed([]))
      return Effect.orElseSucceed(found, () => [])
    }
  )
  return Effect.map(readable, (all) => {
    const found = new Map(all.flat())
    const filter = {
      ...(wanted.toolsListChanged === true && tools !== undefined ? { toolsListChanged: true } : undefined),
      ...(wanted.promptsListChanged === true && prompts !== undefined ? { promptsListChanged: true } : undefined),
      ...(wanted.resourcesListChanged === true && resources !== undefined ? { resourcesListChanged: true } : undefined),
      ...(wanted.resourceSubscriptions === undefined || resources === undefined
        ? undefined
        : { resourceSubscriptions: all.flat().map(([uri]) => uri) })
    }
    return { filter, found }
  })
}

const stream = (
  call: LiveCall,
  filter: SubscriptionFilter,
  found: Agreed["found"],
  topics: ReadonlyArray<Wanted>
): Effect.Effect<Schema.Json> => {
  const { connection, codec } = call
  const { server } = connection
  const tag = { [Envelope.subscriptionId]: subscriptionId(call.id) }
  const spellings = spellingsOf(filter.resourceSubscriptions ?? [])
  const notifications = {
    ...filter,
    ...Object.fromEntries(topics.map(({ name, values }) => [name, values ?? true] as const))
  }
  const keys = new Map(
    topics.map(({ feature, topic, values }) => [`${feature.info.name} ${topic.method}`, values && new Set(values)])
  )
  const watcher = new Watcher((change) => {
    if ("list" in change) return filter[`${change.list}ListChanged`] === true
    if ("uri" in change) return spellings.has(Uri.normalised(change.uri))
    if ("elicitationId" in change) return false
    const topic = `${change.extension} ${change.method}`
    return keys.has(topic) && (change.key === undefined || keys.get(topic)?.has(change.key) === true)
  })
  const send = (change: Change) =>
    Effect.forEach(spelled(change, spellings), (change) => {
      const [method, params] = notificationOf(change)
      return call.call.peer.notify(method, { ...params, _meta: tag })
    }, { discard: true })
  const watches = [...spellings.values()].flatMap(([uri = ""]) => watching(call, uri, found.get(uri), watcher) ?? [])
  const loop: Effect.Effect<void> = Effect.flatMap(watcher.next, (changes) =>
    changes.length === 0
      ? Effect.void
      // A line that is gone interrupts the call.
      : Effect.andThen(Effect.ignore(Effect.forEach(changes, send, { discard: true })), loop))
  const follows = topics.flatMap(({ bound, name, topic, values }) =>
    values === undefined || bound.follow === undefined ? [] : [
      bound.follow(
        name,
        values,
        call,
        // A line that is gone interrupts the call.
        (params) => Effect.ignore(call.call.peer.notify(topic.method, { ...params, _meta: tag }))
      )
    ]
  )
  const acknowledge = Effect.ignore(
    call.call.peer.notify("notifications/subscriptions/acknowledged", { notifications, _meta: tag })
  )
  const told = watches.length + follows.length === 0
    ? Effect.andThen(acknowledge, loop)
    // The watches begin before the acknowledgement.
    : Effect.scoped(
      forked(watches).pipe(Effect.andThen(acknowledge), Effect.andThen(forked(follows)), Effect.andThen(loop))
    )
  return Effect.acquireUseRelease(
    Effect.sync(() => {
      server.watchers.add(watcher)
      connection.listening.add(watcher)
      if (connection.isClosed) watcher.close()
    }),
    () => Effect.map(told, () => codec.seal({ _meta: tag }, server.serverInfo(codec))),
    () =>
      Effect.sync(() => {
        server.watchers.delete(watcher)
        connection.listening.delete(watcher)
        watcher.close()
      })
  )
}

/** The URIs that a client has named, by the resource that they name. @internal */
export type Spellings = ReadonlyMap<string, ReadonlyArray<string>>

/** The same for one list of URIs, made once. @internal */
export const spellingsOf = memoize((uris: ReadonlyArray<string>): Spellings =>
  Map.groupBy(new Set(uris), Uri.normalised)
)

/** A change as a client is told of it: of a resource, by the names that the client has for it. @internal */
export const spelled = (change: Change, spellings: Spellings): ReadonlyArray<Change> =>
  "uri" in change ? (spellings.get(Uri.normalised(change.uri)) ?? []).map((uri) => ({ uri })) : [change]

/**
 * Tells a watcher of the changes at a URI, where what the caller reads there tells of them itself. Servers behind this one come
 * and go, and a URI may become another one's: the watcher hears of that, and then of the changes there.
 *
 * @internal
 */
export const watching = (
  call: LiveCall,
  uri: string,
  found: Readable | undefined,
  watcher: Watcher
): Effect.Effect<void> | undefined => {
  const { mounts, watchers } = call.connection.server
  if (found === undefined || (found.feature.watch === undefined && mounts.isEmpty)) return undefined
  const mark = Effect.sync(() => watcher.mark({ uri }))
  const moved = new Watcher((change) => "list" in change && change.list === "resources")
  const follow = ({ found: { feature: { info, watch } }, offer }: Found): Effect.Effect<void> => {
    const owner = mounts.ownerOf(offer, uri)
    let isOver = false
    const told = Stream.runForEach(watch?.(uri, call) ?? Stream.never, () => mark).pipe(
      Effect.catchCause((cause) =>
        Effect.logDebug(`no changes of ${Excerpt.line(uri)} are told any more`, Excerpt.cause(cause))
      ),
      Effect.andThen(Effect.suspend(() => {
        isOver = true
        moved.mark({ list: "resources" })
        return Effect.never
      }))
    )
    const another: Effect.Effect<Found> = Effect.flatMap(
      Effect.flatMap(moved.next, () => readableNow(call, uri)),
      (next) => {
        if (next === undefined) return another
        const isOther = isOver ? next.found.feature.info !== info : mounts.ownerOf(next.offer, uri) !== owner
        return isOther ? Effect.succeed(next) : another
      }
    )
    return Effect.flatMap(Effect.raceFirst(told, another), (next) => Effect.andThen(mark, follow(next)))
  }
  return Effect.acquireUseRelease(
    Effect.sync(() => watchers.add(moved)),
    () => follow({ found, offer: call.offer }),
    () => Effect.sync(() => watchers.delete(moved))
  )
}

/** The feature at a URI, and the offer that it is of. */
interface Found {
  readonly found: Readable
  readonly offer: Offer
}

/** The resource that a caller reads at a URI by now, where it may read one there. */
const readableNow = (call: LiveCall, uri: string): Effect.Effect<Found | undefined> => {
  const { mounts, offer } = call.connection.server
  return Effect.flatMap(mounts.offerFor(call, offer, { kind: "resource", uri }), (offer) => {
    // Others may look for another URI meanwhile.
    call.offer = offer
    const found = whereReadable(call, uri, (found) => Exit.succeed({ found, offer }), () => Exit.succeed(undefined))
    return Effect.orElseSucceed(found, () => undefined)
  })
}

const forked = (all: ReadonlyArray<Effect.Effect<void>>) =>
  Effect.forEach(all, (one) => Effect.forkScoped(one, { startImmediately: true }), { discard: true })

/** The id of the request that opened the stream. One with more digits than JSON numbers keep is its text. */
const subscriptionId = (id: LiveCall["id"]): string | number =>
  typeof id === "string" || typeof id === "number" ? id : RequestId.toText(id ?? "")
