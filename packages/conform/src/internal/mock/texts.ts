/** Serves what a document describes: each text is answered by itself. */
import * as HttpEndpoint from "@parley/http/HttpEndpoint"
import { RequestRules } from "@parley/http/shared"
import type { Transport } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import type { Described } from "./Described.ts"
import { type Faults, spoilt } from "./Fault.ts"
import type { UnmatchedTexts } from "./Unmatched.ts"

/** The parts that all connections of a mock share. */
export interface Options {
  readonly described: Described
  readonly faults: Faults
  readonly unmatched: UnmatchedTexts
}

/** Texts of a connection that are being answered. A client that reads no answers is not read, either. */
const mostAtOnce = 1_024

/** The text to send, and whether the connection is closed in its place. Nothing where no text is sent. */
const answered = ({ described, faults, unmatched }: Options, connection: number, text: string) =>
  Effect.suspend(() => {
    const answer = described.answer(text)
    if (!answer.isKnown) unmatched.add(connection, text, { kind: "none", nearest: undefined })
    const { delay, effect } = faults.of(answer.methods)
    const sent = answer.text === undefined || effect === undefined ? answer.text : spoilt(answer.text, effect)
    const outcome = { text: effect?._tag === "drop" ? undefined : sent, effect }
    return delay === undefined ? Effect.succeed(outcome) : Effect.delay(Effect.succeed(outcome), delay)
  })

/** Answers the texts of a connection until it ends, each beside the others. */
export const serve = (transport: Transport, connection: number, options: Options): Effect.Effect<void> =>
  Effect.scoped(Effect.gen(function*() {
    const room = yield* Semaphore.make(mostAtOnce)
    const one = (text: string) =>
      Effect.flatMap(answered(options, connection, text), ({ effect, text }) =>
        effect?._tag === "close"
          ? transport.close
          : text === undefined
          ? Effect.void
          : Effect.ignore(transport.send([text])))
    const receive = Effect.flatMap(
      transport.receive,
      (received) =>
        Effect.forEach(
          received,
          (text) =>
            typeof text !== "string" ? Effect.void : Effect.andThen(
              room.take(1),
              Effect.forkChild(Effect.ensuring(one(text), room.release(1)), { startImmediately: true })
            ),
          { discard: true }
        )
    )
    yield* Effect.ignore(Effect.forever(receive, { disableYield: true }))
  }))

/** Answers the texts that are posted. */
export const endpoint = (options: Options, next: () => number): HttpEndpoint.HttpEndpoint =>
  HttpEndpoint.jsonRpcWith((text) =>
    Effect.flatMap(answered(options, next(), text), ({ effect, text }) => {
      if (effect?._tag === "drop") return Effect.never
      return Effect.succeed(
        effect?._tag === "close"
          ? new RequestRules.Refusal(502, "The mock has closed the connection.")
          : Option.fromUndefinedOr(text)
      )
    })
  )
