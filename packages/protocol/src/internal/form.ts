/**
 * The rules of a dialect on the form of messages, and messages in another form than that of JSON-RPC 2.0.
 */
import type { Json, JsonObject } from "effect/Schema"
import type { ErrorObject } from "../ErrorObject.ts"
import * as Written from "../text/Written.ts"
import { callMembers, withExtra } from "./extra.ts"
import { errorText, jsonText, resultText } from "./text.ts"

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
   * tries no shortcut for as many. Give each sender an object of its own, `{ skipped: 0 }`, so that no sender makes the
   * texts of others cost more.
   */
  readonly mistakes?: { skipped: number } | undefined
}

/** @internal */
export const isVersioned = (options: DecodeOptions | undefined): boolean =>
  options?.version === undefined || options.version === "required"

/** Whether responses with both members are read. @internal */
export const isTolerant = (options: DecodeOptions | undefined): boolean =>
  options?.responses !== undefined && options.responses !== "one"

/**
 * The rules of a dialect that writing depends on. `Dialect` explains each.
 *
 * @category models
 * @since 0.1.0
 */
export interface EncodeOptions {
  readonly version?: "required" | "optional" | "omit" | undefined
  readonly responses?: "one" | "any" | "both" | undefined
  readonly notificationId?: "omit" | "null" | undefined
  readonly params?: "optional" | "null" | "array" | undefined
}

/** The text of a call; one without an id is a notification. @internal */
export const callText = (
  form: EncodeOptions,
  id: string | undefined,
  method: string,
  params: Json | undefined,
  extra: JsonObject | undefined
): string => {
  const name = id ?? (form.notificationId === "null" ? "null" : undefined)
  const members = [
    ...name === undefined ? [] : [`"id":${name}`],
    `"method":${jsonText(method)}`,
    ...paramsOf(form, params)
  ]
  return withExtra(`${start(form)}${members.join(",")}}`, extra, callMembers)
}

/** @internal */
export const successText = (form: EncodeOptions, id: string, result: Json): string =>
  `${start(form)}"id":${id},"result":${Written.textOf(result) ?? resultText(result)}${
    form.responses === "both" ? `,"error":null}` : "}"
  }`

/** @internal */
export const failureText = (form: EncodeOptions, id: string, error: ErrorObject): string =>
  `${start(form)}"id":${id},${form.responses === "both" ? `"result":null,` : ""}"error":${errorText(error)}}`

const start = ({ version }: EncodeOptions): string => version === "omit" ? "{" : `{"jsonrpc":"2.0",`

const paramsOf = (form: EncodeOptions, params: Json | undefined): ReadonlyArray<string> => {
  if (params === undefined) {
    return form.params === "null"
      ? [`"params":null`]
      : form.params === "array"
      ? [`"params":[]`]
      : []
  }
  if (form.params === "array" && !Array.isArray(params)) {
    throw new TypeError("the dialect has no params by name: give them as an array")
  }
  return [`"params":${jsonText(params)}`]
}
