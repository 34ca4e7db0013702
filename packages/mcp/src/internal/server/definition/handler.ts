/**
 * Effects that need no fiber, because they are exits already; and handlers that
 * are given their services.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Tracer from "effect/Tracer"

/** What `Exit.isExit` and `Exit.isSuccess` say too, for a tenth of their price: this is asked at each step of a call. @internal */
export const isSuccess = <A, E, R>(effect: Effect.Effect<A, E, R>): effect is Exit.Success<A> =>
  // Only exits have this tag: errors that can be yielded have the names of their classes.
  (effect as { readonly _tag?: unknown })._tag === "Success"

/** The same of both kinds of exit. @internal */
export const isExit = <A, E, R>(effect: Effect.Effect<A, E, R>): effect is Exit.Exit<A, E> => {
  // As above.
  const tag = (effect as { readonly _tag?: unknown })._tag
  return tag === "Success" || (tag === "Failure" && "cause" in effect)
}

/** The answer of a method that has nothing to say. @internal */
export const done: Exit.Exit<Schema.JsonObject> = Exit.succeed({})

/** The services of a server, for all of its calls: without those that belong to the moment it was made in. @internal */
export const lasting = <R>(context: Context.Context<R>): Context.Context<R> =>
  // Neither is among what handlers may require.
  Context.omit(Tracer.ParentSpan, Scope.Scope)(context) as Context.Context<R>

/** An effect with its services; what it acquires is released when it ends. An exit stays one. @internal */
export const provided = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  context: Context.Context<Exclude<R, Scope.Scope>>
): Effect.Effect<A, E> => isSuccess(effect) ? effect : Effect.provideContext(Effect.scoped(effect), context)
