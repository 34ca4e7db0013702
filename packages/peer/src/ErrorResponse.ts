/**
 * What a handler fails with when it wants an error object on the wire.
 *
 * An error has two texts: `code`, `message` and `data` are for the peer, `cause`
 * is for our log and never travels.
 *
 * @since 0.1.0
 */
import * as ErrorObject from "@parley/protocol/ErrorObject"
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

/** Any code of the application's own. @category constructors @since 0.1.0 */
export const make = (code: number, message: string, data?: Schema.Json): ErrorResponse =>
  fromObject(ErrorObject.make(code, message, data))

/** -32601 with the method's name in `data`. @category constructors @since 0.1.0 */
export const methodNotFound = (method: string): ErrorResponse => fromObject(ErrorObject.methodNotFound(method))

/** -32602 with each issue and its path in `data`. @category constructors @since 0.1.0 */
export const invalidParams = (issues: ReadonlyArray<ErrorObject.ParamIssue>): ErrorResponse =>
  fromObject(ErrorObject.invalidParams(issues))

/** -32603 without data; the cause goes to our log. @category constructors @since 0.1.0 */
export const internalError = (cause?: unknown): ErrorResponse => fromObject(ErrorObject.internalError, cause)

/** -32602 from what a Schema refused. @category constructors @since 0.1.0 */
export const fromSchemaError = (error: Schema.SchemaError): ErrorResponse =>
  invalidParams(format(error.issue).issues.map(({ message, path }) => ({ path: (path ?? []).map(segment), message })))

const format = SchemaIssue.makeFormatterStandardSchemaV1()

const segment = (key: PropertyKey | { readonly key: PropertyKey }): string | number => {
  const name = typeof key === "object" ? key.key : key
  return typeof name === "number" ? name : String(name)
}
