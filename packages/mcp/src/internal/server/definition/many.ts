/**
 * One or several.
 */

/** `Array.isArray`, which narrows no readonly array. @internal */
export const isMany = <A, B>(value: ReadonlyArray<A> | B): value is ReadonlyArray<A> => Array.isArray(value)
