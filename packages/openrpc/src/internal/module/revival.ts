/**
 * Representations as Schemas that run.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Representation from "effect/SchemaRepresentation"
import * as Pattern from "../schema/pattern.ts"

/** A pattern of the document, which could take long: it is run in linear time, or not at all. */
const pattern = Representation.makeReviverFilter(
  Representation.isPatternReviver.id,
  Representation.isPatternReviver.payloadSchema,
  ({ payload: { source } }) =>
    Schema.makeFilter(
      (text: string) => Pattern.test(source, text) ?? `a text for ${source}, which is a pattern that is not run`,
      { expected: `a string matching the RegExp ${source}` }
    )
)

/** All that the importer of JSON Schemas makes. */
const revivers = [
  Representation.isFiniteReviver,
  Representation.isGreaterThanOrEqualToReviver,
  Representation.isGreaterThanReviver,
  Representation.isIntReviver,
  Representation.isLessThanOrEqualToReviver,
  Representation.isLessThanReviver,
  Representation.isMaxCodePointsReviver,
  Representation.isMaxLengthReviver,
  Representation.isMaxPropertiesReviver,
  Representation.isMinCodePointsReviver,
  Representation.isMinLengthReviver,
  Representation.isMinPropertiesReviver,
  Representation.isMultipleOfReviver,
  pattern,
  Representation.isPropertyNamesReviver,
  Representation.isUniqueReviver,
  Representation.JsonReviver
]

/** @internal */
export const revive = (document: Representation.Document): Schema.Codec<Schema.Json> =>
  // Schemas that are read from JSON Schemas have JSON for both types, and need no services.
  Representation.fromRepresentation(document, { revivers }) as Schema.Codec<Schema.Json>

/** Whether JSON fits, and what of it the Schema looks at. @internal */
export const match = (document: Representation.Document, json: unknown): Result.Result<Schema.Json, string> => {
  const schema = revive(document)
  return Result.mapError(Schema.decodeUnknownResult(schema)(json), ({ message }) => message)
}
