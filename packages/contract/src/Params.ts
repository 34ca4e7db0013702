/**
 * What a method takes: fields with names and an order, a tuple, any Schema, or nothing.
 *
 * @since 0.1.0
 */
import type * as Schema from "effect/Schema"

/**
 * A Schema that needs no services.
 *
 * @category models
 * @since 0.1.0
 */
export type Codec = Schema.ConstraintCodec<unknown, unknown>

/**
 * Params by name. Their order is their order by position; names that are whole numbers come first, as in every object.
 *
 * @category models
 * @since 0.1.0
 */
export type Fields = { readonly [name: string]: Codec }

/**
 * How a method may declare its params: as fields, as a tuple, as a Schema whose JSON is an object or an array, or not at
 * all.
 *
 * @category models
 * @since 0.1.0
 */
export type Params = Codec | Fields | ReadonlyArray<Codec> | undefined

/**
 * How params may stand on the wire. A server accepts what is named here; a client sends objects, or arrays where it is
 * `by-position`. Names as in OpenRPC.
 *
 * @category models
 * @since 0.1.0
 */
export type ParamStructure = "either" | "by-name" | "by-position"

/**
 * What a handler takes and a client passes. Nothing is `void`.
 *
 * @category models
 * @since 0.1.0
 */
export type Type<P> = P extends Codec ? P["Type"]
  : P extends ReadonlyArray<Codec> ? Schema.Tuple.Type<P>
  : P extends Fields ? Schema.Struct.Type<P>
  : void
