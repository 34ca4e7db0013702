/**
 * The errors of a proxy whose endpoint does not respond: codes of the server's range, with details in their data.
 */
import { describe } from "@parley/peer/Caller"
import type { Exchange } from "@parley/peer/shared"
import { ErrorCode, ErrorObject } from "@parley/protocol/shared"
import type { TransportError } from "@parley/transport/Transport"

const failure = (message: string, data?: string | { readonly status: number; readonly excerpt: string }) =>
  ErrorObject.make(ErrorCode.ServerErrorMax, message, data)

/** The endpoint could not be opened. */
export const unreachable = ({ message }: TransportError): ErrorObject.ErrorObject =>
  failure("The endpoint cannot be reached", message)

/** The connection ended before the answer came. */
export const lost = ({ message }: TransportError): ErrorObject.ErrorObject =>
  failure("The connection to the endpoint was lost", message)

/** The exchange ended, and there was no answer in it. */
export const unanswered: ErrorObject.ErrorObject = failure("The endpoint gave no answer")

/** The endpoint said something, and it cannot be told to whom. */
export const unreadable: ErrorObject.ErrorObject = failure("The answer of the endpoint cannot be read")

/** Too many wait already. */
export const overloaded: ErrorObject.ErrorObject = failure("Too many requests wait for the endpoint")

/** Why an exchange failed. */
export const ofExchange = (error: Exchange.ExchangeError): ErrorObject.ErrorObject => {
  switch (error._tag) {
    case "HttpStatusError":
      return failure(`The endpoint answered with status ${error.status}`, {
        status: error.status,
        excerpt: error.excerpt
      })
    case "BadAnswer":
      return failure(unreadable.message, error.rule)
    case "Disconnected":
      return failure(
        error.sent ? "The connection to the endpoint was lost" : "The endpoint cannot be reached",
        describe(error.reason)
      )
  }
}

/** Why an exchange failed, for stderr. */
export const sentenceOf = (error: Exchange.ExchangeError): string => {
  switch (error._tag) {
    case "HttpStatusError":
      return `answered with ${error.message}`
    case "BadAnswer":
      return `gave an answer that cannot be read: ${error.rule}`
    case "Disconnected":
      return describe(error.reason)
  }
}
