/**
 * The methods of the specimen server: one for each thing that a client can meet.
 *
 * They are ordinary handlers for a `Router`; the notifications `update`,
 * `notify_hello` and `notify_sum` do nothing, and answer null when they are sent
 * as requests.
 *
 * ```ts run
 * import { Specimen } from "@parley/conformance"
 * import { Router } from "@parley/peer"
 * import { Effect, Option } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const router = yield* Router.make()
 *   yield* router.addAll(Specimen.handlers)
 *   const answer = yield* router.answer(`{"jsonrpc":"2.0","id":1,"method":"subtract","params":[42,23]}`)
 *   console.log(Option.getOrThrow(answer)) // => {"jsonrpc":"2.0","id":1,"result":19}
 * })
 *
 * await Effect.runPromise(Effect.scoped(program))
 * ```
 *
 * @since 0.1.0
 */
import type * as Caller from "@parley/peer/Caller"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import type { Call } from "@parley/peer/Handler"
import * as Handler from "@parley/peer/Handler"
import type { Handlers } from "@parley/peer/Router"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** Names match exactly, as section 4.2 of the specification asks: an additional name is a mismatch. */
const exactly = { parseOptions: { onExcessProperty: "error" } } as const

const Subtraction = Schema.Union([
  Schema.Tuple([Schema.Finite, Schema.Finite]),
  Schema.Struct({ minuend: Schema.Finite, subtrahend: Schema.Finite })
]).annotate(exactly)

const Milliseconds = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))

const Pause = Schema.Union([
  Schema.Tuple([Milliseconds]),
  Schema.Struct({ ms: Milliseconds })
]).annotate(exactly)

const CallBack = Schema.Struct({
  method: Schema.String,
  params: Schema.optionalKey(Schema.Union([Schema.Array(Schema.Json), Schema.Record(Schema.String, Schema.Json)]))
}).annotate(exactly)

/** Its params as they came, and null without any. @category handlers @since 0.1.0 */
export const echo = ({ params }: Call) => Effect.succeed(params ?? null)

/** The difference of two numbers, by position or as `minuend` and `subtrahend`. @category handlers @since 0.1.0 */
export const subtract = Handler.withParams(
  Subtraction,
  (params) => finite("minuend" in params ? params.minuend - params.subtrahend : params[0] - params[1])
)

/** The sum of numbers by position. @category handlers @since 0.1.0 */
export const sum = Handler.withParams(
  Schema.Array(Schema.Finite),
  (numbers) => finite(numbers.reduce((total, number) => total + number, 0))
)

/** A string and a number. @category handlers @since 0.1.0 */
export const getData = () => Effect.succeed(["hello", 5])

/** An error of the application, with data. @category handlers @since 0.1.0 */
export const fail = () => Effect.fail(ErrorResponse.make(1234, "Application error", { detail: "boom" }))

/** A defect: the peer sees -32603, our log the cause. @category handlers @since 0.1.0 */
export const crash = () => Effect.die(new Error("the method `crash` was called"))

/** Waits as many milliseconds as `ms` says, or until it is cancelled. @category handlers @since 0.1.0 */
export const sleep = Handler.withParams(Pause, (params) => Effect.sleep("ms" in params ? params.ms : params[0]))

/**
 * Calls a method of the caller and returns its result. An error that the caller answers is passed through.
 *
 * @category handlers
 * @since 0.1.0
 */
export const callback = Handler.withParams(
  CallBack,
  ({ method, params }, { peer }) => Effect.mapError(peer.request(method, params), passThrough)
)

/** Does nothing, for notifications. @category handlers @since 0.1.0 */
export const ignore = () => Effect.void

/**
 * All of them, by the names that they have on the wire.
 *
 * @category handlers
 * @since 0.1.0
 */
export const handlers: Handlers = {
  echo,
  subtract,
  sum,
  get_data: getData,
  fail,
  crash,
  sleep,
  callback,
  update: ignore,
  notify_hello: ignore,
  notify_sum: ignore
}

/** JSON has no infinity: a result that overflows is answered with invalid params. */
const finite = (result: number) =>
  Number.isFinite(result)
    ? Effect.succeed(result)
    : Effect.fail(ErrorResponse.invalidParams([{ path: [], message: "the result is beyond the largest number" }]))

const passThrough = (error: Caller.CallError): ErrorResponse.ErrorResponse =>
  error._tag === "RemoteError"
    ? ErrorResponse.make(error.code, error.text, error.data)
    : ErrorResponse.internalError(error)
