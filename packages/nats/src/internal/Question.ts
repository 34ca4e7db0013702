/**
 * The property of a text on a subject that is known before its decoding: whether it asks for a response.
 */
import { Envelope, Splice } from "@parley/protocol/shared"

/** The beginning of a request as Parley writes it, with a plain id. */
const request = /^\{"jsonrpc":"2\.0","id":(?:\d+|"[^"\\]*"),"method":/

/** Whether a text asks for a response. For an invalid message it is unknown: its sender gets an error. */
export const isAsked = (text: string): boolean => {
  if (request.test(text)) return true
  if (text.startsWith(notification) && !text.includes("\"id\"") && !text.includes("\\u00")) return false
  return isArray.test(text) ? isAskedByBatch(text) : isRequest(text)
}

/** The beginning of a notification as Parley writes it. Its id, were it a request, would stand behind. */
const notification = `{"jsonrpc":"2.0","method":`

const isArray = /^[ \t\r\n]*\[/

const isRequest = (text: string): boolean => {
  const { kind } = Envelope.ofText(text)
  return kind === undefined || kind === "request"
}

const isAskedByBatch = (text: string): boolean => {
  try {
    JSON.parse(text)
  } catch {
    return true
  }
  const members = Splice.parts(text)
  return members.length === 0 || members.some(isRequest)
}
