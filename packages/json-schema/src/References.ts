/**
 * Where the references of a JSON Schema lead, by pointers, ids and anchors, in the dialects from draft-04 to 2020-12.
 * Nothing is fetched.
 *
 * ```ts run
 * import { References } from "@parley/json-schema"
 *
 * const references = References.make({ $ref: "#/$defs/name", $defs: { name: { type: "string" } } })
 *
 * console.log(references?.resolve("#/$defs/name", references.root)?.schema) // => { type: 'string' }
 * ```
 *
 * @since 0.1.0
 */
import type * as Schema from "effect/Schema"
import * as SchemaNames from "./internal/names.ts"
import { decided, Steps } from "./internal/Steps.ts"

export type { Place, Resource } from "./internal/names.ts"

/**
 * The references of one schema.
 *
 * @category models
 * @since 0.1.0
 */
export interface References {
  /** The whole schema. */
  readonly root: SchemaNames.Place
  /** The place of a schema that stands right below one at another place. */
  readonly below: (schema: Schema.Json, place: SchemaNames.Place) => SchemaNames.Place
  /** Where a reference that stands at a place leads; `undefined` where that is no schema of this document. */
  readonly resolve: (reference: string, place: SchemaNames.Place) => SchemaNames.Place | undefined
}

/**
 * Looks through a schema once. Gives `undefined` where it is too large for that.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (schema: Schema.Json): References | undefined => {
  const steps = new Steps()
  const names = decided(() => SchemaNames.make(schema, steps))
  return names === undefined ? undefined : {
    root: names.root,
    below: (schema, { resource }) => ({ schema, resource: names.resourceOf(schema, resource) }),
    resolve: (reference, { resource }) => decided(() => names.resolve(reference, resource))
  }
}
