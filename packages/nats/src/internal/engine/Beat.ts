/** The record of a node. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

const Beat = Schema.Struct({
  node: Schema.String,
  /** Another when it has left and is there again: its keys are those that it has claimed since. */
  life: Schema.String,
  /** For how many milliseconds it lives from then on; 0 where it has ended. */
  lease: Schema.Finite,
  /** The names that it serves. */
  names: Schema.Array(Schema.String)
})

/** @internal */
export type Beat = typeof Beat.Type

const decodeBeat = Schema.decodeUnknownOption(Schema.fromJsonString(Beat))

/** The record that a text is, if it is one. @internal */
export const decode = (text: string | undefined): Beat | undefined => Option.getOrUndefined(decodeBeat(text))
