/**
 * The `error` member of a response (section 5.1 of the specification).
 *
 * One constructor and one predicate per kind. `data` is kept as it is.
 *
 * ```ts run
 * import { ErrorObject } from "@parley/protocol/shared"
 *
 * const error = ErrorObject.invalidParams([{ path: ["a"], message: "Expected a number" }])
 *
 * console.log(error.code, error.message) // => -32602 Invalid params
 * console.log(ErrorObject.isInvalidParams(error)) // => true
 * console.log(ErrorObject.serverError(1, "Busy")._tag) // => Failure
 * ```
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as ErrorCode from "./ErrorCode.ts"

/**
 * An error as it travels: an integer code, a short text for people, and data that the code's owner defines.
 *
 * @category models
 * @since 0.1.0
 */
export const ErrorObject = Schema.Struct({
  code: Schema.Int,
  message: Schema.String,
  data: Schema.optionalKey(Schema.Json)
})

/** @category models @since 0.1.0 */
export type ErrorObject = typeof ErrorObject.Type

/**
 * One reason why parameters do not fit: where in them, and what was expected there.
 *
 * @category models
 * @since 0.1.0
 */
export interface ParamIssue {
  /** The names and indices that lead from the params to the place. */
  readonly path: ReadonlyArray<string | number>
  /** The expectation that the value there does not meet. */
  readonly message: string
}

/**
 * A code that lies outside -32099 to -32000 was given for a server error.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidServerCode extends Schema.TaggedError<InvalidServerCode>()("InvalidServerCode", {
  code: Schema.Number
}) {
  override get message(): string {
    return `the code ${this.code} of a server error is not a whole number from ${ErrorCode.ServerErrorMin} to ${ErrorCode.ServerErrorMax}`
  }
}

/** An error with any code, and `data` only where there is some. @category constructors @since 0.1.0 */
export const make = (code: number, message: string, data?: Schema.Json): ErrorObject =>
  data === undefined ? { code, message } : { code, message, data }

/** The text is not JSON. @category constructors @since 0.1.0 */
export const parseError = (data?: Schema.Json): ErrorObject => make(ErrorCode.ParseError, "Parse error", data)

/** The JSON is not a request. @category constructors @since 0.1.0 */
export const invalidRequest = (data?: Schema.Json): ErrorObject =>
  make(ErrorCode.InvalidRequest, "Invalid Request", data)

/** No handler serves the method; `data` is its name. @category constructors @since 0.1.0 */
export const methodNotFound = (method: string): ErrorObject =>
  make(ErrorCode.MethodNotFound, "Method not found", method)

/** The parameters do not fit the method; `data` lists each issue with its path. @category constructors @since 0.1.0 */
export const invalidParams = (issues: ReadonlyArray<ParamIssue>): ErrorObject =>
  make(ErrorCode.InvalidParams, "Invalid params", issues.map(({ message, path }) => ({ path, message })))

/** The handler failed in a way that it did not declare. The error says nothing more. @category constructors @since 0.1.0 */
export const internalError: ErrorObject = make(ErrorCode.InternalError, "Internal error")

/** An error from the server range. A code outside that range is refused. @category constructors @since 0.1.0 */
export const serverError = (
  code: number,
  message: string,
  data?: Schema.Json
): Result.Result<ErrorObject, InvalidServerCode> =>
  ErrorCode.isServerError(code)
    ? Result.succeed(make(code, message, data))
    : Result.fail(new InvalidServerCode({ code }))

/** Whether the code is -32700: the text was not JSON. @category predicates @since 0.1.0 */
export const isParseError = ({ code }: ErrorObject): boolean => code === ErrorCode.ParseError

/** Whether the code is -32600: the JSON was not a request. @category predicates @since 0.1.0 */
export const isInvalidRequest = ({ code }: ErrorObject): boolean => code === ErrorCode.InvalidRequest

/** Whether the code is -32601: no handler serves the method. @category predicates @since 0.1.0 */
export const isMethodNotFound = ({ code }: ErrorObject): boolean => code === ErrorCode.MethodNotFound

/** Whether the code is -32602: the parameters do not fit the method. @category predicates @since 0.1.0 */
export const isInvalidParams = ({ code }: ErrorObject): boolean => code === ErrorCode.InvalidParams

/** Whether the code is -32603: the handler failed in a way that it did not declare. @category predicates @since 0.1.0 */
export const isInternalError = ({ code }: ErrorObject): boolean => code === ErrorCode.InternalError

/** Whether the code is in the range of server errors, -32099 to -32000. @category predicates @since 0.1.0 */
export const isServerError = ({ code }: ErrorObject): boolean => ErrorCode.isServerError(code)
