/**
 * A request of a server to a person: to fill in a form, or to open a page.
 *
 * In the legacy era this is a request of the server, in the modern one a member of a result; the records are the same.
 *
 * ```ts
 * import { McpClient } from "@parley/mcp"
 * import type { ElicitForm, ElicitResult } from "@parley/mcp/payload/Elicitation"
 * import { Effect } from "effect"
 *
 * declare const ask: (form: ElicitForm) => Promise<{ readonly [field: string]: string } | undefined>
 *
 * const elicit = (form: ElicitForm): Effect.Effect<ElicitResult> =>
 *   Effect.map(
 *     Effect.promise(() => ask(form)),
 *     (content) => content === undefined ? { action: "decline" } : { action: "accept", content }
 *   )
 *
 * export const client = McpClient.layer({ name: "me", version: "1.0.0", handlers: { elicit } })
 * ```
 *
 * @since 0.1.0
 */
// Alone: the rest of HTTP is for those who speak it.
import * as Address from "@parley/http/shared/address"
import * as Schema from "effect/Schema"
import { encoded, same } from "../internal/wire/History.ts"
import { Meta } from "./Content.ts"
import { ObjectSchema } from "./Listing.ts"

/**
 * A form for a person: a JSON Schema of an object whose properties are strings,
 * numbers, booleans, choices of strings, or several such choices.
 *
 * @category models
 * @since 0.1.0
 */
export const ElicitForm = Schema.Struct({
  message: Schema.String,
  requestedSchema: ObjectSchema,
  _meta: Schema.optionalKey(Meta)
})

/** @category models @since 0.1.0 */
export type ElicitForm = typeof ElicitForm.Type

/** A page that a person is asked to open. @category models @since 0.1.0 */
export const ElicitUrl = Schema.Struct({
  message: Schema.String,
  url: Schema.String,
  elicitationId: Schema.optionalKey(Schema.String),
  _meta: Schema.optionalKey(Meta)
})

/** @category models @since 0.1.0 */
export type ElicitUrl = typeof ElicitUrl.Type

/**
 * Whether a person may be asked to open an address: it is `https:`, or `http:` of this machine. It has no user, which could
 * pass for the host, and no space or control character, which a browser drops without a word.
 *
 * A server does not send other addresses, and a client refuses them before its handler sees them.
 *
 * @category guards
 * @since 0.1.0
 */
export const isOfferable = (url: string): boolean => {
  if (!written.test(url)) return false
  const parsed = URL.parse(url)
  return parsed !== null && Address.isSecure(parsed) && parsed.username === "" && parsed.password === ""
}

/** An address of the web, as it is shown. Browsers take a backslash for a slash, and others for a part of a name. */
const written = /^https?:\/\/[^\s\p{C}\\]+$/iu

/** The value of a field of a form. @category models @since 0.1.0 */
export const FieldValue = Schema.Union([
  Schema.String,
  Schema.Finite,
  Schema.Boolean,
  // A form asks for several choices since then.
  encoded(Schema.Array(Schema.String), { "2025-11-25": same })
])

/** @category models @since 0.1.0 */
export type FieldValue = typeof FieldValue.Type

/** The answer of the person, with the values of the form where they accepted one. @category models @since 0.1.0 */
export const ElicitResult = Schema.Struct({
  action: Schema.Literals(["accept", "decline", "cancel"]),
  content: Schema.optionalKey(Schema.Record(Schema.String, FieldValue)),
  _meta: Schema.optionalKey(Meta)
})

/** @category models @since 0.1.0 */
export type ElicitResult = typeof ElicitResult.Type
