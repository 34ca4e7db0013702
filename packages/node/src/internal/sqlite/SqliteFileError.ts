/** Why a file of SQLite cannot be used. */
import { Excerpt } from "@parley/protocol/shared"
import * as Schema from "effect/Schema"

/**
 * The file of a journal cannot be used.
 *
 * @category errors
 * @since 0.1.0
 */
export class SqliteFileError extends Schema.TaggedError<SqliteFileError>()("SqliteFileError", {
  path: Schema.String,
  rule: Schema.String
}) {
  override get message(): string {
    return `the journal in the file ${Excerpt.line(this.path)} cannot be used: ${Excerpt.line(this.rule)}`
  }
}
