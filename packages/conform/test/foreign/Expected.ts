/** The failures of servers of others, each reproduced by hand. */
import { Schema } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"

/** Server → rule → the text that was sent, and what came. */
const Expected = Schema.Record(
  Schema.String,
  Schema.Record(Schema.String, Schema.Struct({ sent: Schema.String, received: Schema.String }))
)

export const expected = Schema.decodeUnknownSync(Schema.fromJsonString(Expected))(
  readFileSync(join(import.meta.dirname, "expected.json"), "utf8")
)
