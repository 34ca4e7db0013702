/**
 * Representations as Schemas that run.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Representation from "effect/SchemaRepresentation"

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
  Representation.isPatternReviver,
  Representation.isPropertyNamesReviver,
  Representation.isUniqueReviver,
  Representation.JsonReviver
]

/** Whether JSON fits, and what of it the Schema looks at. @internal */
export const match = (document: Representation.Document, json: unknown): Result.Result<Schema.Json, string> => {
  // Schemas that are read from JSON Schemas have JSON for both types, and need no services.
  const schema = Representation.fromRepresentation(document, { revivers }) as Schema.Codec<Schema.Json>
  return Result.mapError(Schema.decodeUnknownResult(schema)(json), ({ message }) => message)
}
