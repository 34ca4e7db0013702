/**
 * What completes the arguments of prompts and the variables of templates, while a
 * person types.
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import type { McpContext } from "../McpContext.ts"

/**
 * What is known when an argument is completed.
 *
 * @category models
 * @since 0.1.0
 */
export interface Known {
  /** The arguments that are filled in already. */
  readonly arguments: { readonly [name: string]: string }
  readonly call: McpContext
}

/**
 * Gives the values that complete what was typed, the best first. A hundred of them travel.
 *
 * @category models
 * @since 0.1.0
 */
export type Completer<E = never, R = never> = (
  prefix: string,
  known: Known
) => Effect.Effect<ReadonlyArray<string>, E, R>

/**
 * What completes arguments, by their names; `R` has what each requires.
 *
 * @category models
 * @since 0.1.0
 */
export type Completers<R> = { readonly [name in keyof R]?: Completer<unknown, R[name]> | undefined }
