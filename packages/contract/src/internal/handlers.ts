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

/**
 * Handlers, and what is wrong with them in a few words: the type of all handlers would fill a page. A handler that is
 * missing is a property that is missing, so that the compiler marks the whole object. A part that says nothing is
 * `unknown`, so that handlers of which none is a member's are refused as a type without common properties.
 */
export type Complete<H, M, Name extends string> = [Exclude<keyof M, keyof H>] extends [never] ? H & Known<H, M, Name>
  : H & NeedsHandlers<Name, Exclude<keyof M, keyof H> & string>

type Known<H, M, Name extends string> = [Exclude<keyof H, keyof M>] extends [never] ? unknown : {
  readonly [K in Exclude<keyof H, keyof M>]: `${Name} has no member ${K & string}`
}

type NeedsHandlers<Name extends string, K extends string> = {
  readonly [Member in K]: `${Name} needs a handler of this name: ${Member}`
}

/** Stands beside the Effect that a handler gives, so that the compiler says it of a handler that gives something else. */
export type NoPromise = "a handler gives an Effect: wrap a promise in Effect.tryPromise"
