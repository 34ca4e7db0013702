/**
 * The calling side of subscriptions: a stream whose first pull opens it, and
 * whose Scope closes it.
 */
import type { Caller } from "@parley/peer/Caller"
import { type CallError, RemoteError } from "@parley/peer/CallerError"
import * as ErrorCode from "@parley/protocol/ErrorCode"
import type * as Message from "@parley/protocol/Message"
import * as ExactNumber from "@parley/protocol/text/ExactNumber"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { StreamOptions } from "../../Client.ts"
import { InvalidResult } from "../../ContractError.ts"
import type { Notifications } from "../../Subscription.ts"
import * as Digits from "../codec/digits.ts"
import * as Errors from "../codec/errors.ts"
import * as Codec from "../codec/json.ts"
import * as Mapped from "../codec/mapped.ts"
import * as Params from "../codec/params.ts"
import type { AnySubscription } from "../members.ts"
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
  const toError = Settle.errorDecoder(errors, { exact })
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
    let id: Schema.Json | undefined
    let state: "opening" | "open" | "over" = "opening"
    /**
     * Events that came before the response, which tells our id; and the number of events beyond the bound, some of which
     * may be ours.
     */
    const early: Array<Schema.JsonObject> = []
    let lost = 0

    const end = (how: Items.End<unknown>) => {
      state = "over"
      items.end(how)
    }

    const accept = (event: Schema.JsonObject) => {
      const error = memberOf(event, carrier.error)
      if (error !== undefined && error !== null) return end(Codec.failCause(Cause.fail(errorIn(name, error)), toError))
      const item = memberOf(event, carrier.item)
      const last = memberOf(event, carrier.end) === true
      if (item !== undefined || !last) items.push([item ?? null])
      if (last) end(done)
    }

    const take = (event: Message.Params | undefined): boolean => {
      if (!isObject(event)) return false
      if (state === "opening") {
        if (early.length < mostEarly) early.push(event)
        else lost++
        return false
      }
      if (state === "over" || idIn(event, carrier) !== id) return false
      accept(event)
      return true
    }

    /** Nobody waits for its response, because the consumer has left. */
    const close = (id: Schema.Json) =>
      Effect.forkDetach(Effect.ignore(caller.request(carrier.close, [id])), { startImmediately: true })

    const opened = (result: Schema.Json): Effect.Effect<unknown> => {
      if (state === "over") return close(result)
      if (typeof result !== "string" && typeof result !== "number") {
        end(Exit.fail(new InvalidResult({ method: name, issue: "the id of a subscription is a string or a number" })))
        return Effect.void
      }
      id = result
      state = "open"
      for (const event of early.splice(0)) if (idIn(event, carrier) === id) accept(event)
      // The early events may have ended the stream, or have made the consumer leave.
      if (state === "open" && lost > 0) items.lose(lost)
      return Effect.void
    }

    // This is not interrupted when the consumer leaves: a subscription that opens later must be closed.
    const opening = Effect.matchCauseEffect(caller.request(name, params, { exact, extra, onProgress }), {
      onSuccess: (result) => opened(doubleOf(result)),
      onFailure: (cause) => Effect.sync(() => end(Codec.failCause(cause, toError)))
    })

    return Effect.flatMap(
      caller.listen(carrier.notification, { take, exact, end: (error) => end(Exit.fail(error)) }),
      () =>
        Effect.asVoid(Effect.acquireRelease(
          Effect.forkDetach(opening, { startImmediately: true }),
          () =>
            Effect.suspend(() => {
              const left = state
              state = "over"
              return left === "open" && id !== undefined ? close(id) : Effect.void
            })
        ))
    )
  }

/** The bound of events that are kept while a subscription opens. */
const mostEarly = 1024

const isObject = (json: Schema.Json | undefined): json is Schema.JsonObject =>
  typeof json === "object" && json !== null && !Array.isArray(json)

const memberOf = (event: Schema.JsonObject, name: string | undefined): Schema.Json | undefined =>
  name !== undefined && Object.hasOwn(event, name) ? event[name] : undefined

/** The digits of items may be kept, and ids are compared as doubles. */
const doubleOf = (id: Schema.Json): Schema.Json => ExactNumber.isExactNumber(id) ? Number(id.rawJSON) : id

const idIn = (event: Schema.JsonObject, carrier: Notifications): Schema.Json | undefined => {
  const id = memberOf(event, carrier.id)
  return id === undefined ? undefined : doubleOf(id)
}

/** An error object, or what stands for one. */
const errorIn = (method: string, json: Schema.Json | undefined): RemoteError => {
  const { code, data, message } = isObject(json) ? json : {}
  return new RemoteError({
    method,
    // A safe integer is a number.
    code: Number.isSafeInteger(code) ? code as number : ErrorCode.InternalError,
    text: typeof message === "string" ? message : "the subscription failed",
    ...(data === undefined ? {} : { data })
  })
}
