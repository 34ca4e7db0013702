/** Plays the client's part of one conversation, and writes down what comes. */
import { ErrorCode } from "@parley/protocol/shared"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type { Target } from "../../Target.ts"
import { errorText } from "../mock/refusal.ts"
import { withoutHttp } from "../mock/Source.ts"
import { Catalog } from "../recording/Catalog.ts"
import { isOfClient, isOverHttp, type Script } from "../recording/Script.ts"
import { Ledger } from "./Ledger.ts"
import * as Wire from "./Wire.ts"

/** How long is waited. */
export interface Patience {
  /** For a response, a question or a status. */
  readonly answer: Duration.Duration
  /** For a notification, and at the end for what was not recorded. */
  readonly silence: Duration.Duration
}

/** The outcome of a conversation. */
export interface Played {
  readonly ledger: Ledger
  /** Why the connection ended before its end, where it did. */
  readonly ended: string | undefined
  /** Whether there was a connection at all. */
  readonly isReached: boolean
}

/** Sends what the client did, each when what it had before it has come. */
export const play = (
  target: Target,
  script: Script,
  patience: Patience,
  ignore: ReadonlyArray<string>
): Effect.Effect<Played> =>
  Effect.scoped(Effect.gen(function*() {
    const isHttp = target._tag === "Http"
    const catalog = new Catalog(isHttp ? script : withoutHttp(script))
    const ledger = new Ledger(catalog, ignore)
    let ended: string | undefined
    let news = Latch.makeUnsafe(false)
    const tell = Effect.sync(() => {
      const before = news
      news = Latch.makeUnsafe(false)
      before.openUnsafe()
    })
    const ear: Wire.Ear = {
      text: (text) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          if (ledger.isFlooded) return Effect.void
          ledger.receive(text, now)
          if (ledger.isFlooded) ended ??= "the server sends too much that was not recorded"
          return tell
        }),
      status: (exchange, status) =>
        Effect.suspend(() => {
          ledger.status(exchange, status)
          return tell
        }),
      ended: (why) =>
        Effect.suspend(() => {
          ended ??= why
          return tell
        }),
      lost: (step) =>
        Effect.suspend(() => {
          ledger.giveUp(catalog.steps.indexOf(step))
          return tell
        })
    }
    const wire = isHttp
      ? yield* Wire.overHttp(target, ear, isOverHttp(script))
      : yield* Effect.flatMap(target.connect, (transport) => Wire.overTransport(transport, ear))

    /** Answers what nobody expected, so that the server does not wait for it. */
    const unknown = Effect.suspend(() =>
      Effect.forEach(
        ledger.takeUnknown(),
        (id) => wire.answer(errorText(id, ErrorCode.MethodNotFound, "the recording has no such request")),
        { discard: true }
      )
    )
    const wait = (index: number, withNotifications: boolean, time: Duration.Duration): Effect.Effect<void> => {
      const again: Effect.Effect<void> = Effect.suspend(() => {
        const isOver = ledger.missingBefore(index, withNotifications).length === 0
          || (ended !== undefined && !isHttp) || ledger.isFlooded
        return isOver ? unknown : Effect.andThen(unknown, Effect.andThen(news.await, again))
      })
      return Effect.map(Effect.timeoutOption(again, time), () => {
        // Each is waited for once.
        for (const missing of ledger.missingBefore(index, withNotifications)) missing.isGivenUp = true
      })
    }
    const until = (index: number) =>
      Effect.andThen(wait(index, false, patience.answer), wait(index, true, patience.silence))

    for (const [index, step] of catalog.steps.entries()) {
      if (!isOfClient(step)) continue
      yield* until(index)
      const text = step._tag === "ClientText" ? ledger.textAt(index) : ""
      if (text !== undefined) yield* wire.send(step, text)
    }
    yield* until(catalog.steps.length)
    if (ended === undefined) yield* Effect.sleep(Duration.min(patience.silence, Duration.millis(200)))
    yield* unknown
    ledger.close()
    return { ledger, ended, isReached: true }
  })).pipe(
    Effect.catch(({ message }) =>
      Effect.succeed({
        ledger: new Ledger(new Catalog(withoutHttp(script)), ignore),
        ended: message,
        isReached: false
      })
    )
  )
