/**
 * A law: a sentence about every value of a kind, and the check that tries to break it.
 *
 * Laws are values, so that any test runner can run them: a check is an Effect
 * that succeeds, or fails with the smallest counterexample it found.
 *
 * ```ts run
 * import { Laws } from "@parley/conformance"
 * import { Effect, Schema } from "effect"
 * import * as Arbitrary from "effect/Arbitrary"
 *
 * const law = Laws.forAll("a whole number is even", Arbitrary.schema(Schema.Int), (number) =>
 *   number % 2 === 0 ? undefined : `${number} is odd`)
 *
 * const { message } = await Effect.runPromise(Effect.flip(law.check))
 * console.log(message.split("\n")[0]) // => a whole number is even
 * console.log(message.includes("is odd")) // => true
 * ```
 *
 * @since 0.1.0
 */
import * as Arbitrary from "effect/Arbitrary"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/**
 * A sentence that an implementation claims to keep, and the search for a value that breaks it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Law {
  /** The sentence. */
  readonly name: string
  /** Tries to break it. Succeeds where no value does, and fails with the smallest that was found. */
  readonly check: Effect.Effect<void, LawBroken>
}

/**
 * A law does not hold for a value. `reason` shows the smallest such value that was found.
 *
 * @category errors
 * @since 0.1.0
 */
export class LawBroken extends Schema.TaggedError<LawBroken>()("LawBroken", {
  law: Schema.String,
  reason: Schema.String
}) {
  override get message(): string {
    return `${this.law}\n${this.reason}`
  }
}

/**
 * A sentence that says what is wrong with a value, or `undefined` where the law holds for it.
 *
 * @category models
 * @since 0.1.0
 */
export type Verdict = string | undefined

/**
 * The law that `property` finds nothing wrong with any generated value. A throw counts as wrong, too.
 *
 * @category constructors
 * @since 0.1.0
 */
export const forAll = <A>(
  name: string,
  values: Arbitrary.Arbitrary<A>,
  property: (value: A) => Verdict | Effect.Effect<Verdict, unknown>,
  options?: Arbitrary.CheckOptions
): Law => ({
  name,
  check: Effect.flatMap(Arbitrary.checkEffect(values, (value) => holds(property, value), options), (result) => {
    const reason = Arbitrary.formatCheckFailure(result)
    return reason === undefined ? Effect.void : Effect.fail(new LawBroken({ law: name, reason }))
  })
})

const holds = <A>(property: (value: A) => Verdict | Effect.Effect<Verdict, unknown>, value: A) =>
  Effect.suspend(() => {
    const verdict = property(value)
    return Effect.isEffect(verdict) ? verdict : Effect.succeed(verdict)
  }).pipe(
    Effect.catchCause((cause) =>
      Cause.hasInterrupts(cause) ? Effect.interrupt : Effect.succeed<Verdict>(Cause.pretty(cause))
    ),
    Effect.flatMap((verdict) => verdict === undefined ? Effect.succeed(true) : Effect.fail(verdict))
  )
