/**
 * The serving side of subscriptions: a stream's items as partial results of the
 * call, or as notifications that follow its response.
 */
import type { NotifyError } from "@parley/peer/Caller"
import type { ErrorResponse } from "@parley/peer/ErrorResponse"
import * as Responses from "@parley/peer/ErrorResponse"
import { Published } from "@parley/peer/Feed"
import type { Call, Handler } from "@parley/peer/Handler"
import { ErrorObject, Excerpt, Written } from "@parley/protocol/shared"
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Notifications } from "../../Subscription.ts"
import type * as Codec from "../codec/json.ts"
import * as Mapped from "../codec/mapped.ts"
import * as Params from "../codec/params.ts"
import type { AnySubscription } from "../members.ts"
import * as Feeds from "./feeds.ts"
import * as Serve from "./method.ts"

type Items<R> = Stream.Stream<unknown, unknown, R>

/** @internal */
export type StreamHandler<R> = (params: unknown, call: Call) => Items<R> | Effect.Effect<Items<R>, unknown, R>

/** What a handler gives, on its way to the wire. */
type Started<R> = Effect.Effect<Stream.Stream<Schema.Json, ErrorResponse, R>, ErrorResponse, R>

/** Sends what a handler's stream gives. */
type Send<R> = (
  started: Started<R>,
  call: Call
) => Effect.Effect<Schema.Json, ErrorResponse, Exclude<R, Scope.Scope>>

/** @internal */
export const make = <R>(
  name: string,
  subscription: AnySubscription,
  handler: StreamHandler<R>,
  open: OpenSubscriptions,
  reading: Codec.Reading
): Serve.Served<Exclude<R, Scope.Scope>> => {
  const { carrier, errors, item } = subscription
  const encodeItem = Serve.encoder(item)
  // An item that a feed of this Schema has published is encoded already; another feed may make other JSON of it.
  const encode = (given: unknown) =>
    !(given instanceof Published)
      ? encodeItem(given)
      : Feeds.itemOf(given.encode) === item
      ? Exit.succeed(given.json)
      : encodeItem(given.value)
  const toFailure = Serve.failures(errors)
  const toJson = (items: Items<R>): Stream.Stream<Schema.Json, ErrorResponse, R> =>
    Stream.transformPull(
      Stream.catchCause(items, (cause) => Stream.fromEffect(toFailure(cause))),
      (pull) => Effect.succeed(Mapped.make(pull, encode))
    )
  const send: Send<R> = carrier._tag === "PartialResults" ? partialResults : notifications(carrier, open)
  const ignored = Effect.as(Effect.logDebug(`${Excerpt.line(name)} without an id opens nothing`), null)
  return {
    decode: Params.make(name, subscription, reading).decode,
    run: (params, call) => {
      // The caller could neither close the stream nor receive its items.
      if (call.id === undefined) return ignored
      const given = handler(params, call)
      const started = Stream.isStream(given)
        ? Effect.succeed(toJson(given))
        : Effect.map(Effect.catchCause(given, toFailure), toJson)
      return send(started, call)
    }
  }
}

/** The most items of one partial result: a chunk of a stream may be larger than a frame. */
const mostTogether = 256

/** The most items that a caller without a token gets in its response. */
const mostCollected = 65_536

const partialResults = <R>(started: Started<R>, call: Call) => {
  const { partialResult } = call
  return partialResult === undefined
    ? Effect.scoped(Effect.flatMap(started, collected))
    : Effect.raceFirst(
      Effect.scoped(Effect.flatMap(started, (stream) => sent(stream, partialResult))),
      drained(call)
    )
}

/** The end of a stream whose connection begins to drain: it would hold that up, and its caller may have it elsewhere. */
const drained = ({ draining = Effect.never }: Call) => Effect.flatMap(draining, (error) => Effect.fail(error))

const sent = <R>(
  stream: Stream.Stream<Schema.Json, ErrorResponse, R>,
  partialResult: NonNullable<Call["partialResult"]>
) => {
  const send = (items: ReadonlyArray<Schema.Json>) => Effect.mapError(partialResult(items), Responses.internalError)
  const sendAll = (items: ReadonlyArray<Schema.Json>) =>
    items.length <= mostTogether
      ? send(items)
      : Effect.forEach(Arr.chunksOf(items, mostTogether), send, { discard: true })
  return Effect.as(Stream.runForEachArray(stream, sendAll), [])
}

const collected = <R>(stream: Stream.Stream<Schema.Json, ErrorResponse, R>) =>
  Effect.flatMap(
    Stream.runCollect(Stream.take(stream, mostCollected + 1)),
    (items) =>
      items.length <= mostCollected
        ? Effect.succeed(items)
        : Effect.fail(Responses.make(-32000, "Too many items for one response: ask for partial results"))
  )

/** The most subscriptions that one connection may have open: each costs a fiber, and what its stream holds. */
const mostOpen = 4_096

/** The last id and the number of open subscriptions of each connection. All contracts share them: ids are unique. */
const connections = new WeakMap<object, { last: number; open: number }>()

const connectionOf = (connection: object) => {
  const known = connections.get(connection)
  if (known !== undefined) return known
  const made = { last: 0, open: 0 }
  connections.set(connection, made)
  return made
}

/** The subscriptions that the handlers of a contract have open, by connection and id. @internal */
export interface OpenSubscriptions {
  /** That of their layer, which closes those that are still open. */
  readonly scope: Scope.Scope
  /** Keeps what `close` ends. */
  readonly add: (connection: object, id: string, left: Deferred.Deferred<void>) => void
  readonly remove: (connection: object, id: string) => void
  /** Closes one from the other side. Gives `false` when it is not open. */
  readonly close: (connection: object, id: string) => boolean
}

/** @internal */
export const openSubscriptions = (scope: Scope.Scope): OpenSubscriptions => {
  const open = new WeakMap<object, Map<string, Deferred.Deferred<void>>>()
  return {
    scope,
    add: (connection, id, left) => {
      const ids = open.get(connection) ?? new Map<string, Deferred.Deferred<void>>()
      open.set(connection, ids.set(id, left))
    },
    remove: (connection, id) => {
      open.get(connection)?.delete(id)
    },
    close: (connection, id) => {
      const left = open.get(connection)?.get(id)
      return left !== undefined && Deferred.doneUnsafe(left, Exit.void)
    }
  }
}

/** The handler that closes subscriptions: it takes `[id]`, and says whether one was open. @internal */
export const closing = (open: OpenSubscriptions): Handler => ({ connection, params }) => {
  const id = Array.isArray(params) ? params[0] : undefined
  if (typeof id !== "string") {
    return Effect.fail(Responses.invalidParams([{ path: [0], message: "the id of a subscription" }]))
  }
  return Effect.succeed(connection !== undefined && open.close(connection, id))
}

const notifications =
  (carrier: Notifications, open: OpenSubscriptions) =>
  <R>(started: Started<R>, call: Call): Effect.Effect<Schema.Json, ErrorResponse, Exclude<R, Scope.Scope>> => {
    const { connection } = call
    if (connection === undefined) return Effect.fail(Responses.make(-32000, "Subscriptions need a connection"))
    const ours = connectionOf(connection)
    return held(open.scope, (scope) => {
      if (ours.open >= mostOpen) return Effect.fail(Responses.make(-32000, "Too many subscriptions"))
      // It counts from now until its Scope closes: the members of a batch open only when all are answered.
      ours.open++
      const uncounted = Scope.addFinalizer(scope, Effect.sync(() => void ours.open--))
      return Effect.contextWith((context: Context.Context<R>) =>
        Effect.map(Effect.andThen(uncounted, started), (stream) => {
          // Ethereum's clients expect this form; other clients take any string.
          const id = `0x${(++ours.last).toString(16)}`
          const left = Deferred.makeUnsafe<void>()
          call.afterReply(
            Effect.suspend(() => {
              open.add(connection, id, left)
              return Effect.raceFirst(published(carrier, id, stream, call), Deferred.await(left))
            }).pipe(
              Effect.onExit((exit) => {
                open.remove(connection, id)
                return Scope.close(scope, exit)
              }),
              // The connection has ended, which its peer reports.
              Effect.ignore,
              Effect.provideContext(context)
            ),
            Scope.close(scope, Exit.void)
          )
          return id
        })
      )
    })
  }

/** Gives a Scope that outlives the effect if it succeeds. The outer Scope closes it at last. */
const held = <A, E, R>(
  outer: Scope.Scope,
  use: (scope: Scope.Closeable) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, Exclude<R, Scope.Scope>> =>
  Effect.suspend(() => {
    let scope: Scope.Closeable | undefined
    return Effect.onExit(
      Effect.suspend(() => {
        scope = Scope.forkUnsafe(outer)
        return Effect.provideService(use(scope), Scope.Scope, scope)
      }),
      (exit) => scope === undefined || Exit.isSuccess(exit) ? Effect.void : Scope.close(scope, exit)
    )
  })

/**
 * Tells of each item, and of the end. A connection that drains ends the stream with an error. A carrier without a member
 * for errors cannot tell that end from others: there, the stream lasts as long as its connection.
 */
const published = <R>(
  carrier: Notifications,
  id: string,
  stream: Stream.Stream<Schema.Json, ErrorResponse, R>,
  call: Call
): Effect.Effect<void, NotifyError, R> => {
  const notify = (members: Schema.JsonObject) =>
    call.peer.notify(carrier.notification, Written.wrap({ [carrier.id]: id, ...members }))
  const end = carrier.end === undefined ? Effect.void : notify({ [carrier.end]: true })
  const items = Stream.runForEach(stream, (item) => notify({ [carrier.item]: item }))
  return Effect.matchCauseEffect(carrier.error === undefined ? items : Effect.raceFirst(items, drained(call)), {
    onSuccess: () => end,
    onFailure: (cause) =>
      Effect.andThen(
        logged(cause, call.method, id),
        // A carrier without a member for errors tells the end at least.
        carrier.error === undefined ? end : notify({ [carrier.error]: errorOf(cause) })
      )
  })
}

/** Logs a failure that the other side is not told. */
const logged = (cause: Cause.Cause<ErrorResponse | NotifyError>, method: string, id: string) => {
  const failure = cause.reasons.find(Cause.isFailReason)?.error
  const declared = failure?._tag === "ErrorResponse" && failure.cause === undefined
  return declared || failure?._tag === "Disconnected"
    ? Effect.void
    : Effect.logWarning(
      `the subscription ${Excerpt.line(String(id))} of ${Excerpt.line(method)} failed in a way it did not declare`,
      Excerpt.cause(cause)
    )
}

/** What the other side may see of a failure. */
const errorOf = (cause: Cause.Cause<unknown>): ErrorObject.ErrorObject => {
  const error = cause.reasons.find(Cause.isFailReason)?.error
  const { code, data, message } = error instanceof Responses.ErrorResponse ? error : Responses.internalError()
  return ErrorObject.make(code, message, data)
}
