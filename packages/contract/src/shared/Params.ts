/**
 * The params of a method: fields with names and an order, a tuple, any Schema, or none.
 *
 * ```ts run
 * import type { Params } from "@parley/contract/shared"
 * import { Method } from "@parley/contract"
 * import { Schema } from "effect"
 *
 * const byName = Method.make({ params: { name: Schema.String, age: Schema.optionalKey(Schema.Int) } })
 * const byPosition = Method.make({ params: [Schema.String, Schema.Int] })
 *
 * const person: Params.Type<typeof byName.params> = { name: "Ada" }
 * const pair: Params.Type<typeof byPosition.params> = ["Ada", 36]
 * console.log(person, pair) // => { name: 'Ada' } [ 'Ada', 36 ]
 * ```
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
 * How a method may declare its params: as fields, as a tuple, as a Schema whose JSON is an object or an array, or not
 * at all.
 *
 * @category models
 * @since 0.1.0
 */
export type Params = Codec | Fields | ReadonlyArray<Codec> | undefined

/**
 * How params may stand on the wire, with the names of OpenRPC. A server accepts the forms that are named here; a client
 * sends an object, or an array where this is `by-position`.
 *
 * @category models
 * @since 0.1.0
 */
export type ParamStructure = "either" | "by-name" | "by-position"

/**
 * The type of the params, as a handler takes them and a client passes them: `void` where none are declared.
 *
 * @category models
 * @since 0.1.0
 */
export type Type<P> = P extends Codec ? P["Type"]
  : P extends ReadonlyArray<Codec> ? Schema.Tuple.Type<P>
  : P extends Fields ? Schema.Struct.Type<P>
  : void

/**
 * The params of a declaration, or a type that says what is wrong with them: the JSON of a Schema must be an object or
 * an array.
 *
 * @category models
 * @since 0.1.0
 */
export type Valid<P> = P extends Codec
  ? [P["Encoded"]] extends [Scalar] ? "params are fields, a tuple, or a Schema whose JSON is an object or an array" : P
  : P

type Scalar = string | number | bigint | boolean | symbol
