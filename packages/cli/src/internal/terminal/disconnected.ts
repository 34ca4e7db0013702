/**
 * Why a connection is over, as a sentence for a person.
 */
import type { DisconnectReason } from "@parley/peer/CallerError"
import * as TransportError from "@parley/transport/TransportError"

/** What happened, without a full stop. */
export const sentence = (reason: DisconnectReason): string => {
  switch (reason._tag) {
    case "EndOfInput":
      return "the connection was lost: the other side closed it"
    case "Overrun":
      return "the other side sent notifications faster than they could be handled"
    case "WriteStalled":
      return "the other side does not read"
    case "BadFrames":
      return "the other side does not speak JSON"
    case "NoPeer":
      return "there is no other side"
    default:
      return TransportError.make(reason).message
  }
}
