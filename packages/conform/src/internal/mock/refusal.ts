/** The answer to a text that no recording has. */
import { ErrorCode } from "@parley/protocol/shared"
import { idSourcesOf } from "../recording/Bindings.ts"
import * as Message from "../recording/Message.ts"

/** An error for each request of a text and for each member that is no message, or nothing where there is none. */
export const refusalOf = (text: string): string | undefined => {
  const members = Message.membersOf(text)
  if (members.length === 0) return errorText("null", ErrorCode.ParseError, "Parse error")
  const sources = idSourcesOf(text)
  let at = 0
  const errors = members.flatMap(({ id, kind, method }) => {
    const source = id === undefined ? undefined : sources[at++]
    if (kind === "none") return [errorText("null", ErrorCode.InvalidRequest, "Invalid Request")]
    return kind === "request" && source !== undefined
      ? [errorText(source, ErrorCode.MethodNotFound, `the recording has no call of ${method ?? ""} like this one`)]
      : []
  })
  if (errors.length === 0) return undefined
  return /^\s*\[/.test(text) ? `[${errors.join(",")}]` : errors.join("")
}

/** The text of an error. */
export const errorText = (id: string, code: number, message: string, data?: unknown): string =>
  `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message, ...(data !== undefined && { data }) })}}`
