/**
 * The answer to a single POST: one text, or a stream from the first text that is sent before it. No client can resume
 * it, so its events have no ids.
 */
import type { Reply, Responder } from "@parley/http/HttpEndpoint"
import { EventStream } from "@parley/http/shared"
import type { Answer } from "@parley/peer/Session"
import { Alone } from "@parley/peer/shared"
import type { Limits } from "@parley/protocol/Limits"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import type { Alone as Served } from "../../../server/Connection.ts"
import type { Accepted } from "./incoming.ts"
import type { Post } from "./Posted.ts"
import type { Beating, Pulse } from "./Pulse.ts"
import * as replies from "./replies.ts"

/** @internal */
export class LateStream implements Beating {
  readonly #responder: Responder
  readonly #pulse: Pulse
  earlier: Beating | undefined = undefined
  later: Beating | undefined = undefined
  #isStream = false
  #isBeating = false

  constructor(responder: Responder, pulse: Pulse) {
    this.#responder = responder
    this.#pulse = pulse
  }

  readonly send = (text: string): Effect.Effect<void> => this.#write(EventStream.encode(text))

  /** Gives the reply: what is left of the stream, or what `whole` makes of the answer. */
  answer(answer: Effect.Effect<Answer>, whole: (answer: Answer) => Reply): Effect.Effect<Reply> {
    return Effect.suspend(() => {
      this.#pulse.add(this)
      return Effect.onExitPrimitive(
        Effect.map(answer, (answer) => this.#isStream ? last(answer) : whole(answer)),
        () => {
          this.#pulse.remove(this)
          return undefined
        }
      )
    })
  }

  /** A connection on which nothing happens is ended by many that it goes through, even before the answer begins. */
  readonly beat = () => {
    if (this.#isBeating) return
    this.#isBeating = true
    this.#pulse.fork(Effect.map(this.#write(EventStream.keepAlive), () => {
      this.#isBeating = false
    }))
  }

  #write(piece: string): Effect.Effect<void> {
    return Effect.suspend(() => {
      const written = this.#responder.write(piece)
      if (this.#isStream) return written
      this.#isStream = true
      return Effect.andThen(this.#responder.start(200, EventStream.headers), written)
    })
  }
}

const last = ({ text }: Answer): Reply =>
  text === undefined ? replies.streamed : { ...replies.streamed, body: EventStream.encode(text) }

/** What all answers of an endpoint share. @internal */
export interface Shared {
  readonly limits: Limits
  readonly keepAlive: Pulse
  readonly challenge: replies.Challenge
  /** The fibers that wait for handlers of notifications which outlive their answer. */
  readonly overstaying: FiberSet.FiberSet<void>
}

/** Answers a post that stands alone, as JSON or as a stream, whichever its client accepts. @internal */
export const answer = (
  { challenge, keepAlive, limits, overstaying: all }: Shared,
  { dialect, router }: Served,
  { handshake, posted, responder }: Post,
  accept: Accepted,
  statuses?: ReadonlyMap<number, number>
): Effect.Effect<Reply> => {
  const { share: budget, text } = posted
  const whole = (answer: Answer) => replies.answered(answer, accept, challenge, handshake, statuses)
  const overstaying = (rest: Fiber.Fiber<void>) => {
    FiberSet.addUnsafe(all, rest)
    posted.stays(rest)
  }
  const options = { router, dialect, limits, budget, overstaying, onDraining: responder.onDraining }
  if (accept === "json") return Effect.map(Alone.answer(text, options), whole)
  const stream = new LateStream(responder, keepAlive)
  return stream.answer(Alone.answer(text, { ...options, send: stream.send }), whole)
}
