/**
 * The answer to a single POST: one text, or a stream from the first text that is sent before it. No client can resume
 * it, so its events have no ids.
 */
import type { Reply, Responder } from "@parley/http/HttpEndpoint"
import { EventStream } from "@parley/http/shared"
import * as Session from "@parley/peer/Session"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Connection } from "../../../server/Connection.ts"
import type { Accepted } from "./incoming.ts"
import type { Posted } from "./Posted.ts"
import type { Beating, Pulse } from "./Pulse.ts"
import * as replies from "./replies.ts"

/** @internal */
export class LateStream implements Session.Lane, Beating {
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

  /** Gives the reply: what is left of the stream, or what `whole` makes of the text. */
  answer(
    answer: Effect.Effect<Option.Option<string>>,
    whole: (reply: Option.Option<string>) => Reply
  ): Effect.Effect<Reply> {
    return Effect.suspend(() => {
      this.#pulse.add(this)
      return Effect.onExitPrimitive(
        Effect.map(answer, (reply) => this.#isStream ? last(reply) : whole(reply)),
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

const last = (reply: Option.Option<string>): Reply =>
  Option.isNone(reply) ? replies.streamed : { ...replies.streamed, body: EventStream.encode(reply.value) }

/** What answers that stand alone share. @internal */
export interface Shared {
  readonly limits: Session.SessionOptions["limits"]
  readonly keepAlive: Pulse
}

/** Answers a text, as JSON or as a stream, whichever its client accepts. @internal */
export const answer = (
  { keepAlive, limits }: Shared,
  { dialect, router }: Connection,
  { decoded }: Posted,
  responder: Responder,
  accept: Accepted,
  whole: (reply: Option.Option<string>) => Reply
): Effect.Effect<Reply> => {
  const options = { router, dialect, limits }
  if (accept === "json") return Effect.map(Session.answer(options, decoded), whole)
  const stream = new LateStream(responder, keepAlive)
  return stream.answer(Session.answer(options, decoded, stream), whole)
}
