/**
 * Codecs between types and JSON, built once. What a codec gives is an exit where
 * the Schema takes no time, and an exit needs no fiber; so callers go on with the
 * eager functions of `Effect`.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { flow } from "effect/Function"
import * as Schema from "effect/Schema"
import type * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"
import type { Codec } from "../../shared/Params.ts"
import * as Digits from "./digits.ts"

/** How JSON is read. @internal */
export interface Reading {
  /** Whether the message was read with the digits of its numbers. */
  readonly exact?: boolean | undefined
  readonly lenient?: Lenient | undefined
}

/** @internal */
export type Parse = (json: unknown) => Effect.Effect<unknown, SchemaIssue.Issue>

/** Reads what a Schema has refused. It is given as a function, so that only who is lenient loads it. @internal */
export type Lenient = (schema: Codec, what: string) => Parse

/** From JSON. `what` names it in our log. @internal */
export const decoder = <E>(
  schema: Codec,
  onError: (error: Schema.SchemaError) => E,
  what = "JSON",
  { exact = false, lenient }: Reading = {}
): (json: unknown) => Effect.Effect<unknown, E> => {
  const strict = SchemaParser.decodeUnknownEffect(Schema.toCodecJson(schema))
  const parse = lenient === undefined ? strict : either(strict, lenient(schema, what))
  if (!exact) return withError(parse, onError)
  const keep = Digits.keeper(schema)
  return withError((json) => parse(keep(json)), onError)
}

const either = (strict: Parse, lenient: Parse): Parse => (json) =>
  Effect.matchCauseEffectEager(strict(json), {
    onSuccess: Exit.succeed,
    onFailure: (cause) => Cause.hasFails(cause) ? lenient(json) : Exit.failCause(cause)
  })

/** To JSON. @internal */
export const encoder = <E>(
  schema: Codec,
  onError: (error: Schema.SchemaError) => E
): (value: unknown) => Effect.Effect<Schema.Json, E> =>
  withError(SchemaParser.encodeUnknownEffect(Schema.toCodecJson(schema)), onError)

const withError = <A, E>(
  parse: (input: unknown) => Effect.Effect<A, SchemaIssue.Issue>,
  onError: (error: Schema.SchemaError) => E
): (input: unknown) => Effect.Effect<A, E> =>
  flow(parse, Effect.mapErrorEager((issue) => onError(new Schema.SchemaError(issue))))

/** Fails with this cause, whose errors go through a codec. @internal */
export const failCause = <E, E2>(
  cause: Cause.Cause<E>,
  codec: (error: E) => Effect.Effect<E2>
): Effect.Effect<never, E2> => {
  let errors: Effect.Effect<ReadonlyArray<E2>> = Exit.succeed([])
  for (const { error } of cause.reasons.filter(Cause.isFailReason)) {
    errors = Effect.flatMapEager(errors, (before) => Effect.mapEager(codec(error), (last) => [...before, last]))
  }
  return Effect.flatMapEager(errors, (errors) => {
    let at = 0
    // There is one for each, in the order of the cause.
    return Exit.failCause(Cause.map(cause, () => errors[at++] as E2))
  })
}
