/**
 * The failure of a handler that answers its call with an error object.
 *
 * An error has two texts: `code`, `message` and `data` are for the peer, `cause`
 * is for our log and never travels.
 *
 * ```ts run
 * import { ErrorResponse, Router } from "@parley/peer"
 * import { Effect, Option } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const router = yield* Router.make()
 *   yield* router.add("withdraw", () => Effect.fail(ErrorResponse.make(1001, "Insufficient funds", { balance: 5 })))
 *   const reply = yield* router.answer(`{"jsonrpc":"2.0","id":1,"method":"withdraw"}`)
 *   console.log(Option.getOrThrow(reply))
 *   // => {"jsonrpc":"2.0","id":1,"error":{"code":1001,"message":"Insufficient funds","data":{"balance":5}}}
 * })
 *
 * await Effect.runPromise(Effect.scoped(program))
 * ```
 *
 * @since 0.1.0
 */
import * as Dialect from "@parley/protocol/Dialect"
import { ErrorCode, ErrorObject, JsonObject } from "@parley/protocol/shared"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"

/**
 * An error object for the peer, with a cause for us.
 *
 * @category errors
 * @since 0.1.0
 */
export class ErrorResponse extends Schema.TaggedError<ErrorResponse>()("ErrorResponse", {
  ...ErrorObject.ErrorObject.fields,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/** An error object as a handler's failure. @category constructors @since 0.1.0 */
export const fromObject = (error: ErrorObject.ErrorObject, cause?: unknown): ErrorResponse =>
  new ErrorResponse(cause === undefined ? error : { ...error, cause })

/** An error with a code of the application, and `data` where there is some. @category constructors @since 0.1.0 */
export const make = (code: number, message: string, data?: Schema.Json): ErrorResponse =>
  fromObject(ErrorObject.make(code, message, data))

/** -32601 with the method's name in `data`. @category constructors @since 0.1.0 */
export const methodNotFound = (method: string): ErrorResponse => fromObject(ErrorObject.methodNotFound(method))

/** -32602 with each issue and its path in `data`. @category constructors @since 0.1.0 */
export const invalidParams = (issues: ReadonlyArray<ErrorObject.ParamIssue>): ErrorResponse =>
  fromObject(ErrorObject.invalidParams(issues))

/** -32603 without data; the cause goes to our log. @category constructors @since 0.1.0 */
export const internalError = (cause?: unknown): ErrorResponse => fromObject(ErrorObject.internalError, cause)

/** With these words a side says that it shuts down. The code beside them is that of the dialect. */
const shutDownMessage = "Shutting down"

/** Tells by which code a side says that it shuts down. @category models @since 0.1.0 */
export type ShutDown = Pick<Dialect.Dialect, "shutDownCode">

/** The answer to calls that a side interrupts because it shuts down, with the drain marker. @internal */
export const shutDownError = ({ shutDownCode }: ShutDown): ErrorObject.ErrorObject =>
  ErrorObject.make(shutDownCode, shutDownMessage, { started: true })

/** The answer to calls that it does not start any more. Their callers may make them again elsewhere. @internal */
export const notStartedError = ({ shutDownCode }: ShutDown): ErrorObject.ErrorObject =>
  ErrorObject.make(shutDownCode, shutDownMessage, { started: false })

/**
 * Whether the call had started, as an error object says by the drain marker: all of its `data`, beside this code. The
 * code and the words have other meanings, too, because another program may choose both.
 *
 * @internal
 */
export const startedIn = (
  { code, data }: Pick<ErrorObject.ErrorObject, "code" | "data">,
  shutDownCode: number
): Schema.Json | undefined =>
  code === shutDownCode && JsonObject.isObject(data) && Object.keys(data).length === 1 ? data["started"] : undefined

/**
 * The error of a call that began, and ends because this side shuts down. It is answered with the `shutDownCode` of its
 * dialect, -32000 by default. A caller that calls again by `Reconnecting` is given another connection.
 *
 * @category constructors
 * @since 0.1.0
 */
export const shuttingDown = (): ErrorResponse => fromObject(shutDownError(Dialect.jsonRpc))

/**
 * The error of a call that does not begin, because this side shuts down: its caller may make it again elsewhere. Its code is
 * that of `shuttingDown`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const notStarted = (): ErrorResponse => fromObject(notStartedError(Dialect.jsonRpc))

/** Whether it is one of these two, whose code on the wire is that of the dialect. @internal */
export const isShuttingDown = (error: ErrorResponse): boolean =>
  typeof startedIn(error, Dialect.jsonRpc.shutDownCode) === "boolean"

/**
 * The error of a subscription that ends because its caller takes fewer items than there are, and has missed some. The
 * typed client of a contract fails with `Lagged` then.
 *
 * @category constructors
 * @since 0.1.0
 */
export const lagged = (missed: number): ErrorResponse => make(ErrorCode.ServerErrorMax, "Lagged", { missed })

/** -32602 from what a Schema refused. @category constructors @since 0.1.0 */
export const fromSchemaError = (error: Schema.SchemaError): ErrorResponse =>
  invalidParams(format(error.issue).issues.map(({ message, path }) => ({ path: (path ?? []).map(segment), message })))

const format = SchemaIssue.makeFormatterStandardSchemaV1()

const segment = (key: PropertyKey | { readonly key: PropertyKey }): string | number => {
  const name = typeof key === "object" ? key.key : key
  return typeof name === "number" ? name : String(name)
}
