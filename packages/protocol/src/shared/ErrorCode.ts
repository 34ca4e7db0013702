/**
 * The error codes of JSON-RPC 2.0 (section 5.1) and the range it leaves to servers.
 *
 * Codes are plain integers: an application may use any other for its own errors.
 *
 * ```ts run
 * import { ErrorCode } from "@parley/protocol/shared"
 *
 * console.log(ErrorCode.name(-32601)) // => Method not found
 * console.log(ErrorCode.isServerError(-32050)) // => true
 * console.log(ErrorCode.isReserved(1001)) // => false
 * ```
 *
 * @since 0.1.0
 */

/** The text is not JSON. Answered with id null. @category codes @since 0.1.0 */
export const ParseError = -32700

/** The JSON is not a valid request. @category codes @since 0.1.0 */
export const InvalidRequest = -32600

/** No handler has the method. @category codes @since 0.1.0 */
export const MethodNotFound = -32601

/** The parameters do not fit the method. @category codes @since 0.1.0 */
export const InvalidParams = -32602

/** The handler failed in a way it did not declare. @category codes @since 0.1.0 */
export const InternalError = -32603

/** The lowest code of the range for implementation-defined server errors. @category codes @since 0.1.0 */
export const ServerErrorMin = -32099

/** The highest code of the range for implementation-defined server errors. @category codes @since 0.1.0 */
export const ServerErrorMax = -32000

/** The request was cancelled by its caller, as the Language Server Protocol numbers it. @category codes @since 0.1.0 */
export const RequestCancelled = -32800

/** Tells whether a code lies in the range for implementation-defined server errors. @category predicates @since 0.1.0 */
export const isServerError = (code: number): boolean =>
  Number.isInteger(code) && code >= ServerErrorMin && code <= ServerErrorMax

/** Tells whether the specification reserves a code (-32768 to -32000). @category predicates @since 0.1.0 */
export const isReserved = (code: number): boolean => Number.isInteger(code) && code >= -32768 && code <= -32000

/** The specification's name of a code, or `undefined` for codes it does not name. @category accessors @since 0.1.0 */
export const name = (code: number): string | undefined => isServerError(code) ? "Server error" : names.get(code)

const names: ReadonlyMap<number, string> = new Map([
  [ParseError, "Parse error"],
  [InvalidRequest, "Invalid Request"],
  [MethodNotFound, "Method not found"],
  [InvalidParams, "Invalid params"],
  [InternalError, "Internal error"]
])
