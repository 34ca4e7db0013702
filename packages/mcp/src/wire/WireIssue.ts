/**
 * The reason for which a value from the other side is refused.
 *
 * ```ts run
 * import * as WireIssue from "@parley/mcp/wire/WireIssue"
 * import { Result, Schema } from "effect"
 *
 * const decode = WireIssue.decoder(Schema.Struct({ uri: Schema.String }))
 * const refused = decode({ uri: 7 })
 *
 * if (Result.isFailure(refused)) console.log(refused.failure.issues)
 * // => [ { path: [ 'uri' ], message: 'Expected string' } ]
 * ```
 *
 * @since 0.1.0
 */
import { type ErrorObject, Relayed } from "@parley/protocol/shared"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"
import { segmentOf } from "../internal/Json.ts"

/**
 * The reason for which a value is refused: a text for logs and errors, and each issue
 * with its path, as `ErrorResponse.invalidParams` takes them.
 *
 * @category models
 * @since 0.1.0
 */
export interface WireIssue {
  /** All issues in one text. */
  readonly message: string
  /** Each issue with its path. */
  readonly issues: ReadonlyArray<ErrorObject.ParamIssue>
}

/** Decodes JSON, or gives the reasons for which it does not fit. @category models @since 0.1.0 */
export type Decoder<A> = (json: unknown) => Result.Result<A, WireIssue>

/** One issue with its path. @category constructors @since 0.1.0 */
export const make = (message: string, path: ReadonlyArray<string | number> = []): WireIssue => ({
  message,
  issues: [{ path, message }]
})

const standard = SchemaIssue.makeFormatterStandardSchemaV1()

/** Several issues. @category constructors @since 0.1.0 */
export const of = (issues: WireIssue["issues"]): WireIssue => ({
  message: issues.map(({ message, path }) => path.length === 0 ? message : `${path.join(".")}: ${message}`).join("; "),
  issues
})

const fromIssue = (issue: SchemaIssue.Issue): WireIssue =>
  of(standard(issue).issues.map(({ message, path }) => ({ path: (path ?? []).map(segmentOf), message })))

/**
 * A decoder that is compiled once. It checks what the Schema names and gives
 * back the value itself, with every other member, so the Schema must change nothing.
 *
 * @category constructors
 * @since 0.1.0
 */
export const decoder = <A>(schema: Schema.Codec<A>): Decoder<A> => {
  const decode = SchemaParser.decodeUnknownResult(schema)
  return (json) => {
    const first = decode(json)
    // A number beyond the range of a double, which is passed on as it came, is infinite here.
    const finite = Result.isSuccess(first) ? json : Relayed.toFinite(json)
    const checked = finite === json ? first : decode(finite)
    // The type and the encoded form of the Schema are one, and it accepts the value.
    return Result.isSuccess(checked) ? Result.succeed(json as A) : Result.fail(fromIssue(checked.failure))
  }
}

/**
 * As `decoder`, for a Schema whose type differs from its JSON.
 *
 * @category constructors
 * @since 0.1.0
 */
export const reader = <A>(schema: Schema.ConstraintCodec<A, unknown>): Decoder<A> => {
  const decode = SchemaParser.decodeUnknownResult(schema)
  return (json) => Result.mapError(decode(json), fromIssue)
}
