/**
 * Why a file of tokens cannot be used, without what is in it.
 */
import { Excerpt } from "@parley/protocol/shared"
import * as Schema from "effect/Schema"

/**
 * A file of the store cannot be used.
 *
 * @category errors
 * @since 0.1.0
 */
export class TokenFileError extends Schema.TaggedError<TokenFileError>()("TokenFileError", {
  path: Schema.String,
  rule: Schema.String
}) {
  override get message(): string {
    return `the token file ${Excerpt.line(this.path)} cannot be used: ${Excerpt.line(this.rule)}`
  }
}
