/**
 * The roots of a client: the places that it works in.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Meta } from "./Content.ts"

/** A place the client works in: a `file:` URI. @category models @since 0.1.0 */
export const Root = Schema.Struct({
  uri: Schema.String,
  name: Schema.optionalKey(Schema.String),
  _meta: Schema.optionalKey(Meta)
})

/** @category models @since 0.1.0 */
export type Root = typeof Root.Type

/** The places the client works in. @category models @since 0.1.0 */
export const RootsResult = Schema.Struct({ roots: Schema.Array(Root), _meta: Schema.optionalKey(Meta) })

/** @category models @since 0.1.0 */
export type RootsResult = typeof RootsResult.Type
