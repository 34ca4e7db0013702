/**
 * Codecs between types and JSON, built once. A codec that needs neither services
 * nor time gives an exit, and an exit needs no fiber.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import type * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"
import type { Codec } from "../Params.ts"
import { isSuccess } from "./immediate.ts"

/** From JSON. @internal */
export const decoder = <E>(
  schema: Codec,
  onError: (error: Schema.SchemaError) => E
): (json: unknown) => Exit.Exit<unknown, E> => {
  const decode = SchemaParser.decodeUnknownEffect(Schema.toCodecJson(schema))
  return (json) => {
    const parsed = decode(json)
    return isSuccess(parsed) ? parsed : settled(parsed, onError)
  }
}

/** To JSON. @internal */
export const encoder = <E>(
  schema: Codec,
  onError: (error: Schema.SchemaError) => E
): (value: unknown) => Exit.Exit<Schema.Json, E> => {
  const encode = SchemaParser.encodeUnknownEffect(Schema.toCodecJson(schema))
  return (value) => {
    const parsed = encode(value)
    return isSuccess(parsed) ? parsed : settled(parsed, onError)
  }
}

const settled = <A, E>(
  parsed: Effect.Effect<A, SchemaIssue.Issue>,
  onError: (error: Schema.SchemaError) => E
): Exit.Exit<A, E> => Exit.mapError(Effect.runSyncExit(parsed), (issue) => onError(new Schema.SchemaError(issue)))
