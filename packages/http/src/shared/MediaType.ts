/**
 * The media types of JSON-RPC over HTTP, in `Content-Type` and in `Accept`.
 *
 * ```ts run
 * import { MediaType } from "@parley/http/shared"
 *
 * console.log(MediaType.isJson("application/vnd.bank+json; charset=utf-8")) // => true
 * console.log(MediaType.isJson("text/html")) // => false
 * console.log(MediaType.acceptsEvents("application/json, text/event-stream")) // => true
 * ```
 *
 * @since 0.1.0
 */
import { Charset } from "@parley/protocol/shared"

/**
 * Whether a `Content-Type` is that of JSON: `application/json`, `application/json-rpc`, `application/jsonrequest`, or
 * one that ends in `+json`.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isJson = (contentType: string): boolean =>
  // The common case first.
  contentType === "application/json" ||
  /^(application\/(json|json-rpc|jsonrequest)|[^\s/;]+\/[^\s/;]+\+json)$/.test(essenceOf(contentType))

/**
 * Whether a `Content-Type` names no charset, UTF-8 or US-ASCII: JSON is UTF-8 (RFC 8259, 8.1).
 *
 * @category predicates
 * @since 0.1.0
 */
export const isUtf8: (contentType: string) => boolean = Charset.isUtf8

/** The type without its parameters, in lower case. @category getters @since 0.1.0 */
export const essenceOf = (contentType: string): string => (contentType.split(";", 1)[0] ?? "").trim().toLowerCase()

/**
 * The `Accept` of a client that takes JSON and events alike.
 *
 * @category constants
 * @since 0.1.0
 */
export const jsonOrEvents = "application/json, text/event-stream"

/**
 * Whether an `Accept` names `text/event-stream`. `*\/*` does not count: such a client may not know events.
 *
 * @category predicates
 * @since 0.1.0
 */
export const acceptsEvents = (accept: string | undefined): boolean =>
  accept !== undefined && (
    // The common case first.
    accept === jsonOrEvents ||
    accept.split(",").some((range) =>
      essenceOf(range) === "text/event-stream" && !/;\s*q\s*=\s*0(\.0*)?\s*(;|$)/i.test(range)
    )
  )
