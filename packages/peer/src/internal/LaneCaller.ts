/**
 * The other side of a session, by one lane.
 */
import type { Dialect } from "@parley/protocol/Dialect"
import type { Limits } from "@parley/protocol/Limits"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type { Caller } from "../Caller.ts"
import { Disconnected, type DisconnectReason } from "../CallerError.ts"
import type { Registered, Registry } from "../Correlator.ts"
import type { Call } from "../Handler.ts"
import type { Conversation } from "./Conversation.ts"
import type { Dispatcher } from "./Dispatcher.ts"
import type { Inbound } from "./Inbound.ts"
import * as Incoming from "./Incoming.ts"
import * as LaneOutbox from "./LaneOutbox.ts"
import * as OneWay from "./OneWay.ts"
import * as Outbound from "./Outbound.ts"

/** What the lanes of one session share. @internal */
export interface Host extends Pick<Caller["Service"], "listen" | "pause"> {
  readonly dialect: Dialect
  readonly limits: Limits
  /** Milliseconds that a call waits when it does not say so. */
  readonly timeout: number
  readonly connection: object
  readonly fork: (effect: Effect.Effect<void>) => Fiber.Fiber<void>
  /** Uses what runs now, or begins to. It stays the same meanwhile. */
  readonly hold: <A, E, R>(use: (conversation: Conversation) => Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Why the session is over, if so. */
  readonly gone: () => DisconnectReason | undefined
  /** A call waits from now on. */
  readonly onCall: () => void
}

/** @internal */
export interface LaneCaller {
  readonly caller: Caller["Service"]
  /** Gives what makes the calls of a text that came by the lane. */
  readonly callsOf: (dispatcher: Dispatcher) => (inbound: Inbound) => Call
  /** Nothing may be sent any more. Calls that went out go on waiting. */
  readonly close: () => void
}

/** @internal */
export const make = (host: Host, send: (text: string) => Effect.Effect<void>): LaneCaller => {
  const { dialect } = host
  const way = OneWay.make(dialect, send, () => host.gone())
  let outbox: LaneOutbox.LaneOutbox | undefined
  let outbound: Outbound.Outbound | undefined
  let current: Conversation | undefined

  /** What makes calls, over the correlator that there is now. */
  const calling = (conversation: Conversation): Outbound.Outbound => {
    if (outbound !== undefined && current === conversation) return outbound
    current = conversation
    outbox ??= LaneOutbox.make(send, (effect) => host.fork(effect), conversation.log)
    const made = Outbound.make({
      correlator: telling(conversation.correlator(), (call) => made.cancel(call)),
      outbox,
      dialect,
      limits: host.limits,
      timeout: host.timeout,
      gone: way.gone,
      isClosed: () => way.gone() !== undefined,
      onCall: () => host.onCall()
    })
    outbound = made
    return made
  }

  const call = <A, E>(make: (outbound: Outbound.Outbound) => Effect.Effect<A, E>) =>
    Effect.suspend((): Effect.Effect<A, E | Disconnected> => {
      const reason = way.gone()
      return reason === undefined
        ? host.hold((conversation) => make(calling(conversation)))
        : Effect.fail(new Disconnected({ reason, sent: false }))
    })

  const caller: Caller["Service"] = {
    request: (method, params, options) => call((outbound) => outbound.request(method, params, options)),
    notify: way.peer.notify,
    batch: (members, options) => call((outbound) => outbound.batch(members, options)),
    listen: (method, listener) => host.listen(method, listener),
    pause: () => host.pause()
  }

  return {
    caller,
    callsOf: ({ release }) => Incoming.make({ dialect, peer: caller, release, connection: host.connection }),
    close: () => {
      way.close()
      outbox?.close()
    }
  }
}

/** A registry whose calls tell `onTimeout` of their own. */
const telling = (registry: Registry, onTimeout: Registered["onTimeout"]): Registry => ({
  ...registry,
  begin: (...registration) => {
    const call = registry.begin(...registration)
    call.onTimeout = onTimeout
    return call
  }
})
