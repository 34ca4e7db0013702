/**
 * The calling side of subscriptions: a stream whose first pull opens it, and
 * whose Scope closes it.
 */
import { type Caller, type CallError, RemoteError } from "@parley/peer/Caller"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import type * as Message from "@parley/protocol/Message"
import { ErrorCode, JsonObject } from "@parley/protocol/shared"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Notifications } from "../../Subscription.ts"
import type { StreamOptions } from "../Client.ts"
import * as Digits from "../codec/digits.ts"
import * as Errors from "../codec/errors.ts"
import * as Codec from "../codec/json.ts"
import * as Mapped from "../codec/mapped.ts"
import * as Params from "../codec/params.ts"
import { InvalidResult, Lagged } from "../ContractError.ts"
import type { AnySubscription } from "../members.ts"
import * as Events from "./events.ts"
import * as Items from "./items.ts"
import * as Settle from "./settle.ts"

type Service = Caller
type Feed = Items.Items<Schema.Json, unknown>

/** Opens a subscription, and feeds its items. */
type Open = (
  caller: Service,
  params: Message.Params | undefined,
  items: Feed,
  options: StreamOptions
) => Effect.Effect<void, unknown, Scope.Scope>

/** @internal */
export const make = (name: string, subscription: AnySubscription, lenient: Codec.Lenient | undefined) => {
  const { encode } = Params.make(name, subscription)
  const { carrier, errors, item } = subscription
  const exact = Digits.asksFor(item) || Errors.askForDigits(errors)
  const decode = Settle.resultDecoder(name, item, { exact, lenient })
  const toDeclared = Settle.errorDecoder(errors, { exact })
  const toError = (error: CallError) => laggedIn(name, error) ?? toDeclared(error)
  const open = carrier._tag === "PartialResults"
    ? partialResults(name, toError, exact)
    : notifications(name, carrier, toError, exact)
  return (caller: Service) => (params: unknown, options: StreamOptions = {}): Stream.Stream<unknown, unknown> =>
    Stream.unwrap(Effect.gen(function*() {
      const encoded = yield* encode(params)
      const items = yield* Effect.acquireRelease(
        Effect.sync((): Feed => Items.make(name, options, caller.pause)),
        ({ close }) => Effect.sync(close)
      )
      yield* open(caller, encoded, items, options)
      return Stream.fromPull(Effect.succeed(Mapped.make(items.pull, decode)))
    }))
}

const done: Items.End<never> = Exit.fail(Cause.Done())

/** Partial results and the response hold items alike: a server that knows no token puts all items into the response. */
const itemsOf = (json: Schema.Json): ReadonlyArray<Schema.Json> =>
  Array.isArray(json) ? json : json === null ? [] : [json]

const partialResults =
  (name: string, toError: (error: CallError) => Effect.Effect<unknown>, exact: boolean): Open =>
  (caller, params, items, { extra, onProgress }) => {
    const call = caller.request(name, params, {
      exact,
      extra,
      onProgress,
      timeout: Duration.infinity,
      onPartialResult: (value) => items.push(itemsOf(value))
    })
    const ended = Effect.matchCause(call, {
      onSuccess: (rest) => {
        items.push(itemsOf(rest))
        items.end(done)
      },
      onFailure: (cause) => items.end(Codec.failCause(cause, toError))
    })
    return Effect.asVoid(Effect.forkScoped(ended, { startImmediately: true }))
  }

const notifications =
  (name: string, carrier: Notifications, toError: (error: CallError) => Effect.Effect<unknown>, exact: boolean): Open =>
  (caller, params, items, { extra, onProgress }) => {
    let id: Events.Id | undefined
    let state: "opening" | "open" | "over" = "opening"
    let events: Events.Events | undefined

    const leave = () => {
      const was = state
      state = "over"
      if (was !== "over") events?.leaves(subscriber, id)
      return was
    }

    const end = (how: Items.End<unknown>) => {
      leave()
      items.end(how)
    }

    const accept = (event: Schema.JsonObject) => {
      // An early event before this one may have ended it.
      if (state === "over") return
      const error = Events.memberOf(event, carrier.error)
      if (error !== undefined && error !== null) return end(Codec.failCause(Cause.fail(errorIn(name, error)), toError))
      const item = Events.memberOf(event, carrier.item)
      const last = Events.memberOf(event, carrier.end) === true
      if (item !== undefined || !last) items.push([item ?? null])
      if (last) end(done)
    }

    const subscriber = new Events.Subscriber(accept, (error) => end(Exit.fail(error)))

    /**
     * Closes it without waiting for the response, because the consumer has left. On another connection the id would be that of another
     * subscription.
     */
    const close = (id: Schema.Json): Effect.Effect<unknown> =>
      events?.isPast === true
        ? Effect.void
        : Effect.forkDetach(Effect.ignore(caller.request(carrier.close, [id])), { startImmediately: true })

    const opened = (result: Schema.Json): Effect.Effect<unknown> => {
      const given = Events.idOf(result)
      if (state === "over") return close(given ?? result)
      if (given === undefined) {
        end(Exit.fail(new InvalidResult({ method: name, issue: "the id of a subscription is a string or a number" })))
        return Effect.void
      }
      id = given
      state = "open"
      const lost = events?.opened(subscriber, id) ?? 0
      // The early events may have ended the stream, or have made the consumer leave.
      if (isOpen() && lost > 0) items.lose(lost)
      return Effect.void
    }

    const isOpen = () => state === "open"

    // This is not interrupted when the consumer leaves: a subscription that opens later must be closed.
    const opening = Effect.matchCauseEffect(caller.request(name, params, { exact, extra, onProgress, pinned: true }), {
      onSuccess: opened,
      onFailure: (cause) => Effect.sync(() => end(Codec.failCause(cause, toError)))
    })

    return Effect.flatMap(Events.join(caller, carrier, exact), (joined) =>
      Effect.asVoid(Effect.acquireRelease(
        Effect.suspend(() => {
          events = joined
          events.opens(subscriber)
          return Effect.forkDetach(opening, { startImmediately: true })
        }),
        () => Effect.suspend(() => leave() === "open" && id !== undefined ? close(id) : Effect.void)
      )))
  }

/** The end of a subscription whose items this side took too slowly for the other one. */
const laggedIn = (method: string, error: CallError) => {
  if (error._tag !== "RemoteError" || error.code !== lagged.code || error.text !== lagged.message) return undefined
  const { data } = error
  const missed = JsonObject.isObject(data) ? data["missed"] : undefined
  return Number.isSafeInteger(missed) && Number(missed) >= 0
    ? Exit.succeed(new Lagged({ method, missed: Number(missed) }))
    : undefined
}

const lagged = ErrorResponse.lagged(0)

/** An error object, or what stands for one. */
const errorIn = (method: string, json: Schema.Json | undefined): RemoteError => {
  const { code, data, message } = JsonObject.isObject(json) ? json : {}
  return new RemoteError({
    method,
    // A safe integer is a number.
    code: Number.isSafeInteger(code) ? code as number : ErrorCode.InternalError,
    text: typeof message === "string" ? message : "the subscription failed",
    ...(data === undefined ? {} : { data })
  })
}
