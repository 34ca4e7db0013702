/**
 * The other side as a handler sees it where nothing can come back from there: it
 * can be sent to until its answer is there, or not at all.
 */
import type { Dialect } from "@parley/protocol/Dialect"
import * as Message from "@parley/protocol/Message"
import * as Effect from "effect/Effect"
import type { Caller } from "../Caller.ts"
import { Disconnected, type DisconnectReason, InvalidArguments, type NotifyError } from "../CallerError.ts"
import type { Call } from "../Handler.ts"
import type { Inbound } from "./Inbound.ts"
import * as Progress from "./Progress.ts"

const unsent = (reason: DisconnectReason) => Effect.fail(new Disconnected({ reason, sent: false }))

const closed: DisconnectReason = { _tag: "Closed" }

const noOtherSide = () => unsent({ _tag: "NoPeer" })

/** @internal */
export const noPeer: Caller["Service"] = {
  request: noOtherSide,
  notify: noOtherSide,
  batch: noOtherSide,
  listen: noOtherSide,
  pause: () => () => {}
}

/** A call whose host has no way back to the caller. @internal */
export const callOf = (inbound: Inbound): Call => {
  const { message } = inbound
  return {
    id: message._tag === "Request" ? message.id : undefined,
    method: message.method,
    params: message.params,
    extra: message.extra,
    peer: noPeer,
    progress: () => Effect.void,
    partialResult: undefined,
    connection: undefined,
    afterReply: (_, otherwise) => {
      if (otherwise !== undefined) (inbound.after ??= []).push({ effect: otherwise, otherwise })
    }
  }
}

/** @internal */
export interface OneWay {
  readonly peer: Caller["Service"]
  /** Why nothing can be sent any more, if so. */
  readonly gone: () => DisconnectReason | undefined
  /** What a call has beyond one without a way back. */
  readonly membersOf: (inbound: Inbound) => Pick<Call, "peer" | "progress" | "partialResult">
  /** The answer is there: nothing may come behind it. */
  readonly close: () => void
}

/** The other side is there until the answer is. @internal */
export const stillThere = (): undefined => undefined

/** Sends until the answer is there, or until `lost` says why nothing can be sent any more. @internal */
export const make = (
  dialect: Dialect,
  send: (text: string) => Effect.Effect<void>,
  lost: () => DisconnectReason | undefined
): OneWay => {
  let isOpen = true
  const gone = () => isOpen ? lost() : closed
  const peer: Caller["Service"] = {
    ...noPeer,
    notify: (method, params) =>
      Effect.suspend((): Effect.Effect<void, NotifyError> => {
        const reason = gone()
        if (reason !== undefined) return unsent(reason)
        try {
          return send(Message.notificationText(method, params))
        } catch (cause) {
          return Effect.fail(new InvalidArguments({ method, cause }))
        }
      })
  }
  return {
    peer,
    gone,
    membersOf: ({ key, message: { params } }) => ({
      peer,
      progress: (fields) => Progress.notify(peer, dialect.progress, params, fields),
      partialResult: key === undefined ? undefined : Progress.partialResult(peer, dialect, params)
    }),
    close: () => {
      isOpen = false
    }
  }
}
