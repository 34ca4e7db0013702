/**
 * Suites of rules: each rule looks at a running server for one thing that a specification asks for.
 *
 * A rule gives its findings, and none where it holds. Where it cannot decide it fails: with `NotApplicable` where the
 * server has nothing that the rule is about, and with `Unverified` where something stopped the probe. Neither counts as a
 * failure of the server.
 *
 * ```ts run
 * import { Suite } from "@parley/conform"
 * import { Effect } from "effect"
 *
 * const even: Suite.Suite<number> = Suite.make({
 *   name: "numbers",
 *   title: "Whether a number is what we like",
 *   prepare: (number: number) => Effect.succeed(number),
 *   rules: [{
 *     id: "numbers/even",
 *     title: "The number is even",
 *     level: "must",
 *     section: "https://example.org/numbers#even",
 *     check: (number) =>
 *       Effect.succeed(number % 2 === 0 ? [] : [{ expected: "an even number", received: `${number}`, exchange: [] }])
 *   }]
 * })
 *
 * const program = Effect.gen(function*() {
 *   for (const check of (yield* even.prepare(7)).values()) console.log((yield* check)[0]?.expected) // => an even number
 * })
 *
 * await Effect.runPromise(Effect.scoped(program))
 * ```
 *
 * @since 0.1.0
 */
import { Excerpt } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"

/**
 * Whether the specification says MUST or SHOULD. A breach of the latter is a warning.
 *
 * @category models
 * @since 0.1.0
 */
export const Level = Schema.Literals(["must", "should"])

/** @category models @since 0.1.0 */
export type Level = typeof Level.Type

/**
 * A text that passed while a rule looked, and what it was to show.
 *
 * @category models
 * @since 0.1.0
 */
export const Passed = Schema.Struct({
  direction: Schema.Literals(["sent", "received"]),
  /** The exact text. Bytes that are no UTF-8 are shown as escapes, and a long text is cut in its middle. */
  text: Schema.String
})

/** @category models @since 0.1.0 */
export type Passed = typeof Passed.Type

/**
 * A breach of a rule.
 *
 * @category models
 * @since 0.1.0
 */
export const Finding = Schema.Struct({
  /** The behaviour that the specification asks for. */
  expected: Schema.String,
  /** The behaviour that was seen instead. */
  received: Schema.String,
  /** The texts that show it, in their order. */
  exchange: Schema.Array(Passed)
})

/** @category models @since 0.1.0 */
export type Finding = typeof Finding.Type

/**
 * The server has nothing that the rule is about.
 *
 * @category errors
 * @since 0.1.0
 */
export class NotApplicable extends Schema.TaggedError<NotApplicable>()("NotApplicable", { reason: Schema.String }) {
  override get message(): string {
    return `the rule is not applicable: ${Excerpt.line(this.reason)}`
  }
}

/**
 * Something stopped the probe before it could decide.
 *
 * @category errors
 * @since 0.1.0
 */
export class Unverified extends Schema.TaggedError<Unverified>()("Unverified", {
  reason: Schema.String,
  /** The rules that have failed with the same defect, where it hides whether this one holds. */
  because: Schema.optionalKey(Schema.Array(Schema.String))
}) {
  override get message(): string {
    return `nothing was decided: ${Excerpt.line(this.reason)}`
  }
}

/**
 * The parts of a rule that are known before it runs.
 *
 * @category models
 * @since 0.1.0
 */
export interface RuleInfo {
  /** A stable name that begins with the name of its suite, such as `jsonrpc/parse-error`. */
  readonly id: string
  /** The statement that holds, in one sentence. */
  readonly title: string
  readonly level: Level
  /** The URL of the section that decides. */
  readonly section: string
}

/**
 * A rule, for servers that a suite has prepared as `S`.
 *
 * @category models
 * @since 0.1.0
 */
export interface Rule<in S> extends RuleInfo {
  readonly check: (subject: S) => Check
}

/** The findings of a rule for a server. @category models @since 0.1.0 */
export type Check = Effect.Effect<ReadonlyArray<Finding>, NotApplicable | Unverified, Scope.Scope>

/**
 * Rules that look at one side of a server.
 *
 * @category models
 * @since 0.1.0
 */
export interface Suite<in Run> {
  readonly name: string
  /** The subject of its rules, in one sentence. */
  readonly title: string
  readonly rules: ReadonlyArray<RuleInfo>
  /** Gives the checks by the ids of their rules. Where it fails, none of them runs, and each rule has that verdict. */
  readonly prepare: (
    run: Run
  ) => Effect.Effect<ReadonlyMap<string, Check>, NotApplicable | Unverified, Scope.Scope>
}

/**
 * A suite whose rules are given what `prepare` makes, once for all of them.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = <Run, S>(options: {
  readonly name: string
  readonly title: string
  readonly prepare: (run: Run) => Effect.Effect<S, NotApplicable | Unverified, Scope.Scope>
  readonly rules: ReadonlyArray<Rule<S>>
}): Suite<Run> => ({
  ...options,
  prepare: (run) =>
    Effect.map(options.prepare(run), (subject) => new Map(options.rules.map((rule) => [rule.id, rule.check(subject)])))
})
