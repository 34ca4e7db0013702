/**
 * The charsets that a text may be labelled with: JSON is UTF-8 (RFC 8259, 8.1), of which US-ASCII is a part.
 *
 * One rule for the `Content-Type` of HTTP and for that of the header block of the Language Server Protocol.
 *
 * ```ts run
 * import { Charset } from "@parley/protocol/shared"
 *
 * console.log(Charset.isUtf8("application/vscode-jsonrpc; charset=utf8")) // => true
 * console.log(Charset.isUtf8("application/json; charset=latin1")) // => false
 * ```
 *
 * @since 0.1.0
 */

/**
 * Whether a `Content-Type` names no charset, UTF-8 or US-ASCII, in any case, with or without double quotes. Version 2 of
 * the Language Server Protocol wrote `utf8`.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isUtf8 = (contentType: string): boolean =>
  // The common case first.
  !contentType.includes(";") ||
  contentType.toLowerCase().split(";").slice(1).every((parameter) => {
    const at = parameter.indexOf("=")
    if (at < 0 || parameter.slice(0, at).trim() !== "charset") return true
    const value = parameter.slice(at + 1).trim()
    const isQuoted = value.length > 1 && value.startsWith("\"") && value.endsWith("\"")
    return charsets.has(isQuoted ? value.slice(1, -1) : value)
  })

const charsets: ReadonlySet<string> = new Set(["utf-8", "utf8", "us-ascii"])
