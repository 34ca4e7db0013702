/**
 * Replaces secrets in the texts of messages, so that traffic can be shown and kept.
 *
 * A secret is found by the name of its member, such as `access_token` or `Set-Cookie`, by the name before it in settings,
 * headers and the arguments of a command, and by its shape, such as `Bearer …` or a JSON Web Token. Only the characters of the
 * secret become `[redacted]`. All other characters stay as they were, and JSON stays JSON. Escapes hide no secret, neither in a
 * name nor in a value, and JSON within a string is searched as well, eight levels deep; a string that is escaped deeper than
 * that is replaced as a whole.
 *
 * Names are compared without case, `-`, `_`, `.` and blanks. Below a name of a secret, each string and number is
 * replaced, but for the parameters of a JSON Schema: what stands below `properties` describes a value, and is none.
 * `progressToken`, the tokens of pages, and cursors are no secrets, and neither is the `token` of LSP's `$/progress`.
 *
 * In other text, a name stands before `=` or a colon, and the value ends at the quote that closes it, or with its word or
 * line. In an array, a flag such as `--token` names the next string, and the first of two strings the second; arrays such
 * as `required` have names only.
 *
 * The time is linear in the length of the text, whatever the text is. A text that is no JSON is searched, too.
 *
 * ```ts run
 * import { Redaction } from "@parley/traffic"
 *
 * console.log(Redaction.text(`{"id":1, "params":{"api_key":"k-123","note":"Bearer abc.def"}}`))
 * // => {"id":1, "params":{"api_key":"[redacted]","note":"Bearer [redacted]"}}
 * console.log(Redaction.text(JSON.stringify({ _meta: { progressToken: 7 }, text: `{"password":1234}` })))
 * // => {"_meta":{"progressToken":7},"text":"{\"password\":\"[redacted]\"}"}
 * ```
 *
 * @since 0.1.0
 */
import { ownOf } from "./internal/redaction/names.ts"
import * as Span from "./internal/redaction/Span.ts"
import { withoutSecrets } from "./internal/redaction/text.ts"

/**
 * The text that stands for a secret.
 *
 * @category constants
 * @since 0.1.0
 */
export const mark: string = Span.mark

/**
 * What else is a secret.
 *
 * @category models
 * @since 0.1.0
 */
export interface RedactionOptions {
  /** Names of members and headers whose values are secrets, too. They are compared as the others are. */
  readonly names?: ReadonlyArray<string> | undefined
}

/**
 * As `text`, with names of your own.
 *
 * ```ts run
 * import { Redaction } from "@parley/traffic"
 *
 * const redact = Redaction.make({ names: ["pin"] })
 * console.log(redact(`{"PIN":"0000","spin":1}`)) // => {"PIN":"[redacted]","spin":1}
 * ```
 *
 * @category redacting
 * @since 0.1.0
 */
export const make = ({ names = [] }: RedactionOptions = {}): (text: string) => string => {
  const own = ownOf(names)
  return (text) => withoutSecrets(text, own)
}

/**
 * The text without its secrets. A text without secrets comes back as it was, and a text that was redacted stays so.
 *
 * @category redacting
 * @since 0.1.0
 */
export const text: (text: string) => string = make()
