/** Serves a recording to one client over a connection that carries texts both ways. */
import type { Transport, TransportError } from "@parley/transport/Transport"
import type * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import { type Faults, spoilt } from "./Fault.ts"
import * as Pace from "./Pace.ts"
import type { Emission, Outcome, Play } from "./Play.ts"
import { refusalOf } from "./refusal.ts"
import type { Source } from "./Source.ts"
import type { UnmatchedTexts } from "./Unmatched.ts"

/** The parts that all connections of a mock share. */
export interface Options {
  readonly source: Source
  readonly faults: Faults
  readonly unmatched: UnmatchedTexts
  /** How long a client may do nothing before it gets what was held for what it did next in the recording. */
  readonly patience: Duration.Duration
  /** Whether pauses are as long as they were. */
  readonly pace: boolean
}

/** Texts that were read, or are to be written, and wait. */
const mostWaiting = 1_024

/** Serves until either side ends. */
export const serve = Effect.fnUntraced(function*(
  transport: Transport,
  connection: number,
  { faults, pace, patience, source, unmatched }: Options
): Effect.fn.Return<void, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const inbox = yield* Queue.bounded<string, TransportError>(mostWaiting)
  const outbox = yield* Queue.bounded<Emission<never>, Cause.Done>(mostWaiting)
  const late = new Set<Fiber.Fiber<void>>()

  const write = (text: string): Effect.Effect<void> => Effect.ignore(transport.send([text]))
  const send = ({ answers, pause, step, text = "" }: Emission<never>): Effect.Effect<void> => {
    const { delay, effect } = faults.of(answers)
    const sent = step._tag === "ServerGone" || effect?._tag === "close"
      ? transport.close
      : step._tag !== "ServerText" || effect?._tag === "drop"
      ? Effect.void
      : write(effect === undefined ? text : spoilt(text, effect))
    const paced = Effect.andThen(Pace.pause(pause, pace), sent)
    if (delay === undefined) return paced
    // The others do not wait for it.
    return Effect.map(Effect.forkIn(Effect.andThen(Effect.sleep(delay), sent), scope), (fiber) => {
      late.add(fiber)
      fiber.addObserver(() => late.delete(fiber))
    })
  }
  const sender = yield* Effect.forkScoped(
    Effect.ignore(Effect.forever(Effect.flatMap(Queue.take(outbox), send), { disableYield: true }))
  )
  const offer = (emissions: ReadonlyArray<Emission<never>>) =>
    Effect.forEach(emissions, (emission) => Queue.offer(outbox, emission), { discard: true })

  yield* Effect.forkScoped(Effect.catch(
    Effect.forever(
      Effect.flatMap(
        transport.receive,
        (received) =>
          Effect.forEach(received, (one) => typeof one === "string" ? Queue.offer(inbox, one) : Effect.void, {
            discard: true
          })
      ),
      { disableYield: true }
    ),
    (error) => Queue.fail(inbox, error)
  ))

  let play: Play<never> | undefined
  if (source.isServerFirst) {
    play = source.begin<never>(undefined, 0).play
    yield* offer(play.start())
  }
  const answer = (text: string) =>
    Effect.gen(function*() {
      const now = yield* Clock.currentTimeMillis
      play ??= source.begin<never>(text, now).play
      const outcome: Outcome<never> = play.receive(text, now)
      unmatched.add(connection, text, outcome.match)
      const refusal = outcome.match.kind === "none" ? refusalOf(text) : undefined
      yield* refusal === undefined ? offer(outcome.emissions) : write(refusal)
    })
  const isOver = () => play === undefined || !play.isHeld
  const next = Effect.suspend(() =>
    isOver() ? Effect.asSome(Queue.take(inbox)) : Effect.timeoutOption(Queue.take(inbox), patience)
  )
  const alarm = Effect.suspend(() => play === undefined ? Effect.void : offer(play.alarm()))

  yield* Effect.ignore(Effect.forever(
    Effect.flatMap(next, Option.match({ onNone: () => alarm, onSome: answer })),
    { disableYield: true }
  ))
  // A client that writes no more may still read.
  yield* alarm
  yield* Queue.end(outbox)
  yield* Fiber.await(sender)
  yield* Fiber.awaitAll([...late])
})
