/** The id and secret of a client in the header of a request to its authorization server (RFC 6749, section 2.3.1). */
import * as Base64 from "effect/encoding/Base64"
import * as Redacted from "effect/Redacted"

/** @internal */
export const basic = (id: string, secret: Redacted.Redacted): string =>
  `Basic ${Base64.encode(`${inForm(id)}:${inForm(Redacted.value(secret))}`)}`

/** A text as a form has it. */
const inForm = (text: string): string => new URLSearchParams([["", text]]).toString().slice(1)
