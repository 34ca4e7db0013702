/**
 * The rules of a dialect on the form of messages that are read.
 */

/**
 * The limits and the rules of a dialect that decoding depends on. `Dialect` explains each rule.
 *
 * @category models
 * @since 0.1.0
 */
export interface DecodeOptions {
  /** Levels of arrays and objects in one text. */
  readonly depth?: number | undefined
  /** What `params: null` is: an Invalid Request (by the specification) or no params. */
  readonly nullParams?: "refuse" | "absent" | undefined
  /** What a call with `id: null` is: a request (by the specification), a notification or an Invalid Request. */
  readonly nullId?: "request" | "notification" | "refuse" | undefined
  /** Whether `"jsonrpc":"2.0"` is demanded, which it is only where this is `required` (by the specification). */
  readonly version?: "required" | "optional" | "omit" | undefined
  /** Whether a response has one of `result` and `error` (by the specification), or both as in JSON-RPC 1.0. */
  readonly responses?: "one" | "any" | "both" | undefined
  /** Whether the error for JSON that resembles no message holds it as `foreign`. It does not by default. */
  readonly foreign?: "drop" | "keep" | undefined
  /**
   * The memory of the decoder for the texts of one sender: after a text that begins as most do and goes on otherwise, it
   * tries no shortcut for as many; and how the last call began. Give each sender an object of its own,
   * `{ skipped: 0 }`, so that no sender makes the texts of others cost more.
   */
  readonly mistakes?: { skipped: number; last?: { readonly method: string; readonly head: string } } | undefined
}

/** @internal */
export const isVersioned = (options: DecodeOptions | undefined): boolean =>
  options?.version === undefined || options.version === "required"

/** Whether responses with both members are read. @internal */
export const isTolerant = (options: DecodeOptions | undefined): boolean =>
  options?.responses !== undefined && options.responses !== "one"
