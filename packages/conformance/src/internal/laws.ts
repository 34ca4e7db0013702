/**
 * How a law over a connection is told: an Effect in a Scope of its own that finds nothing wrong, gives a verdict, or
 * breaks off.
 */
import type * as Arbitrary from "effect/Arbitrary"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { forAll, type Law, LawBroken, type Verdict } from "./laws/Law.ts"

/** A law breaks off: what follows makes no sense any more. */
export class Broken extends Schema.TaggedError<Broken>()("Broken", { reason: Schema.String }) {
  override get message(): string {
    return this.reason
  }
}

export const broken = (reason: string): Effect.Effect<never, Broken> => Effect.fail(new Broken({ reason }))

/** The first of these that is not as it should be. */
export const first = (verdicts: ReadonlyArray<Verdict>): Verdict => verdicts.find((verdict) => verdict !== undefined)

/** An effect that finds out whether a law holds. */
export type Body = Effect.Effect<Verdict, unknown, Scope.Scope>

/** The verdict of a law in a Scope of its own. The reason why it breaks off is its verdict as well. */
export const verdictOf = (body: Body): Effect.Effect<Verdict> =>
  Effect.catchCause(Effect.scoped(body), (cause) => {
    const failure = cause.reasons.find(Cause.isFailReason)
    return Effect.succeed(failure?.error instanceof Broken ? failure.error.reason : Cause.pretty(cause))
  })

/** A law that is tried once. */
export const law = (name: string, body: Body): Law => ({
  name,
  check: Effect.flatMap(
    verdictOf(body),
    (reason) => reason === undefined ? Effect.void : Effect.fail(new LawBroken({ law: name, reason }))
  )
})

/** Makes laws over what an effect opens, which are called by a name: each is tried once, in some time. */
export const lawsOver =
  <A, T>(name: string, open: Effect.Effect<A, unknown, Scope.Scope>, time: T) =>
  (title: string, check: (opened: A, time: T) => Body): Law =>
    law(`${name}: ${title}`, Effect.flatMap(open, (opened) => check(opened, time)))

/** A law over many values, each tried in a Scope of its own. */
export const property = <A>(
  name: string,
  values: Arbitrary.Arbitrary<A>,
  body: (value: A) => Body,
  options: Arbitrary.CheckOptions
): Law => forAll(name, values, (value) => verdictOf(body(value)), options)

/** The first verdict of these, in their order; what comes after it is not tried. */
export const firstVerdict = <A, E, R>(
  values: Iterable<A>,
  body: (value: A) => Effect.Effect<Verdict, E, R>
): Effect.Effect<Verdict, E, R> =>
  Effect.gen(function*() {
    for (const value of values) {
      const verdict = yield* body(value)
      if (verdict !== undefined) return verdict
    }
    return undefined
  })
