/**
 * Regular expressions that somebody else has written, in linear time.
 *
 * The engine of JavaScript tries one way to match after the other, and nothing can stop it: a few characters can hold up a
 * program for hours. Here all ways are followed at once. The expressions are those of ECMAScript, with the flag `u` or,
 * where that does not read them, without. What refers back to a group is refused, as is what is very large.
 *
 * ```ts run
 * import { Pattern } from "@parley/json-schema"
 * import { Result } from "effect"
 *
 * const pattern = Result.getOrThrow(Pattern.make("^(a+)+$"))
 *
 * console.log(pattern.test(`${"a".repeat(10_000)}!`)) // => false
 * console.log(Result.getFailure(Pattern.make("(a)\\1")).valueOrUndefined) // => it refers back to what a group has matched
 * ```
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import * as pattern from "./internal/pattern/pattern.ts"
import * as Search from "./internal/pattern/search.ts"
import { write } from "./internal/pattern/written.ts"
import { decided, Steps } from "./internal/Steps.ts"

/**
 * A regular expression that can be run.
 *
 * @category models
 * @since 0.1.0
 */
export interface Pattern {
  /** Whether it matches somewhere in a text; `undefined` where that takes more steps than one check may. */
  readonly test: (text: string) => boolean | undefined
  /**
   * Writes a text that it matches. `choose` is asked for a whole number from 0 that is less than the given count, each
   * time that there is a choice; 0 gives plain and short texts. `undefined` where what it asks for at an edge or by
   * looking round was not met.
   */
  readonly example: (choose: (count: number) => number) => string | undefined
}

/**
 * A regular expression, or why it cannot be run.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (source: string): Result.Result<Pattern, string> => {
  const made = decided(() => pattern.make(source, new Steps()))
  if (made === undefined) return Result.fail("it takes too long to read")
  if (typeof made === "string") return Result.fail(made)
  const test = (text: string) => decided(() => made.test(text, new Steps()))
  return Result.succeed({
    test,
    example: (choose) => {
      const text = write(made.part, choose)
      return text !== undefined && test(text) === true ? text : undefined
    }
  })
}

/**
 * What is asked of a text: which expressions match it and which do not, and how many characters it has.
 *
 * @category models
 * @since 0.1.0
 */
export interface FindOptions {
  /** The expressions that match it. */
  readonly matched: ReadonlyArray<string>
  /** Those that do not. None by default. */
  readonly unmatched?: ReadonlyArray<string> | undefined
  /** The fewest characters. 0 by default. */
  readonly least?: number | undefined
  /** The most characters. Any number by default. */
  readonly most?: number | undefined
}

/**
 * The shortest text that some expressions match and others do not; `undefined` where it is proven that there is none. It
 * fails with the reason where nobody knows: an expression looks ahead or behind, or the search takes too long.
 *
 * ```ts run
 * import { Pattern } from "@parley/json-schema"
 * import { Result } from "effect"
 *
 * const hex = "^0x[0-9a-f]*$"
 *
 * console.log(Result.getOrThrow(Pattern.find({ matched: [hex], unmatched: ["^0x[0-9]*$"] }))) // => 0xa
 * console.log(Result.getOrThrow(Pattern.find({ matched: ["^0x[0-9]*$"], unmatched: [hex] }))) // => undefined
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const find = (
  { least = 0, matched, most = Infinity, unmatched = [] }: FindOptions
): Result.Result<string | undefined, string> => {
  const found = decided(() => Search.search({ matched, unmatched, least, most }))
  if (found === undefined) return Result.fail("it takes too long to read")
  return "unknown" in found ? Result.fail(found.unknown) : Result.succeed(found.text)
}
