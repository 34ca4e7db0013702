/** A change between two contracts, and the rules by which changes are named. */
import * as Schema from "effect/Schema"

/**
 * The consequence for those who use the contract as it was.
 *
 * @category models
 * @since 0.1.0
 */
export const ChangeVerdict = Schema.Literals(["breaking", "compatible", "unknown"])

/** @category models @since 0.1.0 */
export type ChangeVerdict = typeof ChangeVerdict.Type

/**
 * Whether a client sends the value, or gets it.
 *
 * @category models
 * @since 0.1.0
 */
export const ValueDirection = Schema.Literals(["sends", "gets"])

/** @category models @since 0.1.0 */
export type ValueDirection = typeof ValueDirection.Type

/**
 * Calls of a recording that a change meets.
 *
 * @category models
 * @since 0.1.0
 */
export const MetCalls = Schema.Struct({
  /** How many of them there are. */
  calls: Schema.Int,
  /** The text of the first one. */
  example: Schema.String
})

/** @category models @since 0.1.0 */
export type MetCalls = typeof MetCalls.Type

/**
 * One change.
 *
 * @category models
 * @since 0.1.0
 */
export const Change = Schema.Struct({
  /** The id of its rule, such as `diff/param-required`. */
  rule: Schema.String,
  verdict: ChangeVerdict,
  direction: ValueDirection,
  /** The operation where it was found, such as `method balance`. */
  operation: Schema.String,
  /** More operations that use the same part. */
  others: Schema.Array(Schema.String),
  /** Where it is in the operation, such as `params.account` or `result[].name`. */
  place: Schema.String,
  /** The change in one sentence. */
  message: Schema.String,
  /**
   * For what clients send, a value that was accepted and is not any more; for what they get, one that may come now and
   * never came before.
   */
  witness: Schema.optionalKey(Schema.Json),
  /** Why the other contract refuses the witness, or why nothing was decided. */
  reason: Schema.optionalKey(Schema.String),
  /** The JSON pointers of the schemas that were compared, in the locks of both contracts. */
  schemas: Schema.optionalKey(Schema.Struct({ before: Schema.String, after: Schema.String })),
  traffic: Schema.optionalKey(MetCalls)
})

/** @category models @since 0.1.0 */
export type Change = typeof Change.Type

/**
 * All changes between two contracts, and how the contracts are named and were compared.
 *
 * @category models
 * @since 0.1.0
 */
export const ContractDiff = Schema.Struct({
  before: Schema.String,
  after: Schema.String,
  /** Whether sides were taken to send members that their schemas do not speak of. */
  isStrict: Schema.Boolean,
  changes: Schema.Array(Change)
})

/** @category models @since 0.1.0 */
export type ContractDiff = typeof ContractDiff.Type

/** The rules, with what each says. */
export const rules = {
  "diff/method-removed": "an operation is gone",
  "diff/method-added": "there is a new operation",
  "diff/kind": "a request has become a notification, or the other way round",
  "diff/param-structure": "params are sent in another structure",
  "diff/param-moved": "a param has another position",
  "diff/param-added": "there is a new param that may be left out",
  "diff/param-removed": "a param is gone",
  "diff/param-required": "a param has to be there",
  "diff/param-optional": "a param may be left out",
  "diff/param-narrowed": "params may have fewer values",
  "diff/param-widened": "params may have more values",
  "diff/result-added": "there is a new member in a result",
  "diff/result-removed": "a member of a result is gone",
  "diff/result-required": "a member of a result has to be there",
  "diff/result-optional": "a member of a result may be left out",
  "diff/result-narrowed": "a result may have fewer values",
  "diff/result-widened": "a result may have more values",
  "diff/value-added": "there is a new value among those listed",
  "diff/value-removed": "a value among those listed is gone",
  "diff/error-added": "there is a new error",
  "diff/error-removed": "an error is gone",
  "diff/error-narrowed": "the data of an error may have fewer values",
  "diff/error-widened": "the data of an error may have more values"
} as const

export type RuleId = keyof typeof rules
