/**
 * Ways to cut bytes, as a network cuts a stream. No framing may notice how its bytes are cut.
 *
 * A cut is a list of sizes, which is repeated until the bytes are used up. So one list fits bytes of any length,
 * every partition is the cut of some list, and the smallest, `[1]`, cuts at every byte.
 *
 * ```ts run
 * import { Cuts } from "@parley/conformance/shared"
 *
 * const bytes = new TextEncoder().encode("hello")
 * const text = (chunk: Uint8Array) => new TextDecoder().decode(chunk)
 *
 * console.log(Cuts.apply(bytes, [2, 1]).map(text)) // => [ 'he', 'l', 'lo' ]
 * console.log(Cuts.everyPlace(bytes).length) // => 4
 * ```
 *
 * @since 0.1.0
 */
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"

/**
 * Sizes of consecutive chunks, in bytes, each at least 1, repeated until all is cut.
 *
 * @category models
 * @since 0.1.0
 */
export type Cut = readonly [number, ...ReadonlyArray<number>]

/**
 * Any cut. It shrinks towards cutting at every byte.
 *
 * @category generators
 * @since 0.1.0
 */
export const cut: Arbitrary.Arbitrary<Cut> = Arbitrary.map(
  Arbitrary.array(Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 48 }))), { maxLength: 12 }),
  ([first = 1, ...others]) => [first, ...others]
)

/**
 * The bytes in chunks of these sizes. They share their buffer with `bytes`.
 *
 * @category cutting
 * @since 0.1.0
 */
export const apply = (bytes: Uint8Array, sizes: Cut): ReadonlyArray<Uint8Array> => {
  const chunks: Array<Uint8Array> = []
  for (let at = 0, index = 0; at < bytes.length; index++) {
    const end = at + Math.max(1, sizes[index % sizes.length] ?? 1)
    chunks.push(bytes.subarray(at, end))
    at = end
  }
  return chunks
}

/**
 * One chunk for each byte.
 *
 * @category cutting
 * @since 0.1.0
 */
export const everyByte = (bytes: Uint8Array): ReadonlyArray<Uint8Array> => apply(bytes, [1])

/**
 * Every way to cut the bytes in two, where neither part is empty.
 *
 * @category cutting
 * @since 0.1.0
 */
export const everyPlace = (bytes: Uint8Array): ReadonlyArray<ReadonlyArray<Uint8Array>> =>
  Array.from({ length: Math.max(0, bytes.length - 1) }, (_, index) => [
    bytes.subarray(0, index + 1),
    bytes.subarray(index + 1)
  ])
