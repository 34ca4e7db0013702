/**
 * What the types of a contract say about handlers.
 */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"

/** What the handler of a subscription gives. */
export type Items<A, E> =
  | Stream.Stream<A, E, unknown>
  | Effect.Effect<Stream.Stream<A, E, unknown>, E, unknown>

/** What handlers require, without the Scope of their calls. */
export type Services<H> = {
  [K in keyof H]: H[K] extends (...args: never) => infer A ? Exclude<ServicesOf<A>, Scope.Scope> : never
}[keyof H]

type ServicesOf<A> = A extends Effect.Effect<infer B, infer _E, infer R>
  ? R | (B extends Stream.Stream<infer _A, infer _E, infer R2> ? R2 : never)
  : A extends Stream.Stream<infer _A, infer _E, infer R> ? R
  : never

/** A misspelt handler is a type error that says so. */
export type Known<H, M, Name extends string> = {
  readonly [K in Exclude<keyof H, keyof M>]: `${Name} has no member ${K & string}`
}
