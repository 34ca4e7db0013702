/**
 * What a description gathers before it can name it.
 */
import type { Params } from "@parley/contract/shared"
import type { Representation } from "effect/SchemaRepresentation"
import type * as Pool from "../pool.ts"
import type { JsonSchema } from "./descriptor.ts"

/** Schemas become representations, and these JSON Schemas. @internal */
export interface Pools {
  readonly schemas: Pool.Pool<Params.Codec, Representation>
  readonly representations: Pool.Pool<Representation, JsonSchema>
  /** What a representation is, where it is a reference. */
  readonly resolve: (representation: Representation) => Representation
  /** Likewise of JSON Schemas. */
  readonly resolveJson: (schema: JsonSchema) => JsonSchema
}
