/**
 * A line with faults that can be switched on while it is in use.
 *
 * Each direction takes its time: a text is on its way for the latency, and a narrow line takes no further text before
 * it has taken the last one. A narrow line is not read meanwhile, so its sender waits: that is the back-pressure of the
 * transport below. Answers and notifications are changed on their way to the client.
 */
import * as Message from "@parley/protocol/Message"
import { type Transport, type TransportError, transportError } from "@parley/transport/Transport"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"

/** The ways in which the line passes on or changes the answers of the server. */
export const answers = ["right", "twice", "cut short", "unknown id", "result and error", "wrong type"] as const

export interface Faults {
  /** Milliseconds that a text is on its way. */
  readonly latency: number
  /** Characters per second in each direction, and 0 for no bound. */
  readonly rate: number
  readonly answers: (typeof answers)[number]
  /** Whether the notifications of the server get lost. */
  readonly dropsNotifications: boolean
}

export const none: Faults = { latency: 0, rate: 0, answers: "right", dropsNotifications: false }

export interface Line {
  readonly transport: Transport
  /** Loses the connection, and the texts that are on their way. */
  readonly cut: Effect.Effect<void>
}

/** A line over this transport. It asks for its faults at each text. */
export const make = (inner: Transport, faults: () => Faults): Effect.Effect<Line, never, Scope.Scope> =>
  Effect.gen(function*() {
    const lost = yield* Deferred.make<never, TransportError>()
    const there = yield* makeWay(faults)
    const back = yield* makeWay(faults)

    const sending = Effect.flatMap(there.next, (text) => inner.send([text]))
    yield* Effect.forkScoped(Effect.catch(Effect.forever(sending), (error) => Deferred.fail(lost, error)))

    const receiving = Effect.flatMap(
      inner.receive,
      (received) =>
        Effect.forEach(
          received,
          (text) => Effect.forEach(typeof text === "string" ? changed(text, faults()) : [], back.put),
          { discard: true }
        )
    )
    yield* Effect.forkScoped(Effect.catch(Effect.forever(receiving), back.end))

    const untilLost = <A>(effect: Effect.Effect<A, TransportError>) => Effect.raceFirst(effect, Deferred.await(lost))
    return {
      transport: {
        ...inner,
        receive: untilLost(Effect.map(back.next, (text) => [text] as const)),
        send: (texts) => untilLost(Effect.forEach(texts, there.put, { discard: true }))
      },
      cut: Effect.andThen(
        Deferred.fail(lost, transportError({ _tag: "Lost", cause: new Error("the line was cut") })),
        inner.close
      )
    }
  })

/** One direction. */
interface Way {
  /** Waits until the text is on its way. */
  readonly put: (text: string) => Effect.Effect<void>
  /** Waits until the next text is there. It has one reader. */
  readonly next: Effect.Effect<string, TransportError>
  /** Ends it behind the texts that are on their way. */
  readonly end: (error: TransportError) => Effect.Effect<void>
}

const makeWay = (faults: () => Faults): Effect.Effect<Way> =>
  Effect.gen(function*() {
    const texts = yield* Queue.bounded<{ readonly text: string; readonly due: number }, TransportError>(
      1_024
    )
    return {
      put: (text) =>
        Effect.gen(function*() {
          const { latency, rate } = faults()
          if (rate > 0) yield* Effect.sleep(text.length / rate * 1_000)
          yield* Queue.offer(texts, { text, due: (yield* Clock.currentTimeMillis) + latency })
        }),
      // A text is taken when it is due, so that an interruption in between loses none.
      next: Effect.gen(function*() {
        const { due, text } = yield* Queue.peek(texts)
        const early = due - (yield* Clock.currentTimeMillis)
        if (early > 0) yield* Effect.sleep(early)
        yield* Queue.take(texts)
        return text
      }),
      end: (error) => Queue.fail(texts, error)
    }
  })

/** The texts that come in place of one of the server. */
export const changed = (text: string, faults: Faults): ReadonlyArray<string> => {
  const message = Message.decode(text)
  if (Result.isFailure(message)) return [text]
  const { _tag } = message.success
  if (_tag === "Notification") return faults.dropsNotifications ? [] : [text]
  if (_tag === "Request") return [text]
  const withMembers = (members: object) => JSON.stringify({ ...JSON.parse(text), ...members })
  switch (faults.answers) {
    case "right":
      return [text]
    case "twice":
      return [text, text]
    case "cut short":
      return [text.slice(0, -1)]
    case "unknown id":
      return [withMembers({ id: "of nobody" })]
    case "result and error":
      return [withMembers({ result: 0, error: { code: 1, message: "and an error" } })]
    case "wrong type":
      return [withMembers({ result: { surprise: true }, error: undefined })]
  }
}
