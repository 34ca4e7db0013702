/**
 * A text that was posted: what its JSON weighs counts on a budget from before it is parsed until it is answered, which
 * may be after its client has left.
 */
import type { Responder } from "@parley/http/HttpEndpoint"
import type { RequestRules } from "@parley/http/shared"
import type * as Session from "@parley/peer/Session"
import type * as Message from "@parley/protocol/Message"
import { Weight } from "@parley/protocol/shared"
import type { Handshake } from "@parley/transport/Handshake"
import type { Budget } from "@parley/transport/shared"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type * as Envelope from "../../../wire/Envelope.ts"
import type { Party } from "../quota/Parties.ts"
import type { Requester } from "../quota/Requester.ts"

/** @internal */
export class Posted {
  readonly decoded: Session.Decoded
  /** The same for those whose calls count on `share`, which has its weight already. */
  readonly text: Session.Decoded
  readonly share: Budget.Share
  #isAnswered = false
  #isOver = false
  /** The fiber of the handlers that still run behind its answer. */
  #rest: Fiber.Fiber<void> | undefined = undefined
  #party: Party | undefined
  #calls = 0

  private constructor(decoded: Session.Decoded, share: Budget.Share) {
    this.decoded = decoded
    this.text = { ...decoded, weight: 0 }
    this.share = share
  }

  /** Reads a text; nothing where there is no room for it. */
  static readonly read = (
    text: string,
    budget: Budget.Budget,
    decode: (text: string, weight: number) => Session.Decoded
  ): Posted | undefined => {
    const weight = Weight.ofText(text)
    const share = budget.share()
    // One that outweighs all that there is, is refused without being parsed.
    if (weight <= budget.limit && !share.fits(weight)) {
      share.close()
      return undefined
    }
    share.take(weight)
    return new Posted(decode(text, weight), share)
  }

  /** The weight of the text and its JSON together, for what keeps both. */
  get weight(): number {
    return this.decoded.size + this.decoded.weight
  }

  /** So many calls of it count on the quota of a party, as long as its weight counts. */
  count(party: Party, calls: number) {
    this.#party = party
    this.#calls = calls
  }

  /** Answers it, and gives its weight back at the end of that and of what `stays` behind it, whoever waits. */
  answered<A>(answer: Effect.Effect<A>): Effect.Effect<A> {
    const begun = Effect.suspend(() => {
      this.#isAnswered = true
      return answer
    })
    return Effect.onExitPrimitive(begun, () => {
      this.#end()
      return undefined
    })
  }

  /** Keeps its weight for what still runs behind its answer. */
  stays(rest: Fiber.Fiber<void>) {
    this.#rest = rest
    rest.addObserver(() => {
      this.#rest = undefined
      if (this.#isOver) this.#close()
    })
  }

  /** Gives the weight back, unless the text is being answered. */
  leave() {
    if (!this.#isAnswered) this.#end()
  }

  #end() {
    this.#isOver = true
    if (this.#rest === undefined) this.#close()
  }

  #close() {
    this.share.close()
    this.#party?.give("calls", this.#calls)
    this.#party = undefined
  }
}

/** One request of HTTP, and what was found of it where it arrived: all who answer it read it here. @internal */
export interface HttpRequest {
  readonly handshake: Handshake
  readonly head: RequestRules.Head
  /** The name of its principal. */
  readonly principal: string | undefined
  /** The sender, as quotas count it. */
  readonly requester: Requester
  readonly responder: Responder
}

/** A request with a body. @internal */
export interface Post extends HttpRequest {
  readonly posted: Posted
  /** The request or notification that the body is; `undefined` where it is a batch, or a response. */
  readonly call: Message.Request | Message.Notification | undefined
  /** What the call says of itself, in the modern era. */
  readonly envelope: Envelope.Envelope | Envelope.Refused | undefined
}
