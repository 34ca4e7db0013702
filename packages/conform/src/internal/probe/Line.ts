/**
 * A connection under test: texts go out, and what comes is kept in its order.
 *
 * Whether a server stays silent is known when it has answered a request that was sent later, the sentinel, and a short
 * grace is over; without a sentinel, only patience tells.
 */
import type { Transport, TransportError } from "@parley/transport/Transport"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type * as Scope from "effect/Scope"
import { type Passed, Unverified } from "../../Suite.ts"
import * as Json from "./Json.ts"
import type { Patience } from "./Patience.ts"

/** The texts that came after one was sent. */
export interface Answer {
  /** All texts that came, but those of the sentinel. */
  readonly texts: ReadonlyArray<string>
  /** Why the connection ended, where it did. */
  readonly ended: string | undefined
  /** Whether enough has come, or the sentinel was answered: what is not here will not come, and the server lives. */
  readonly isWhole: boolean
  /** The texts that passed, the sentinel left out. */
  readonly exchange: ReadonlyArray<Passed>
}

/** A connection, and the texts that have passed. */
export interface Line {
  /** Sends texts together, and nothing else. */
  readonly send: (...texts: readonly [string, ...ReadonlyArray<string>]) => Effect.Effect<void, Unverified>
  /**
   * Sends a text, and gives what comes for it. `enough` says when no more is waited for; without it, nothing has to come. With
   * `patience`, the whole of that time may pass, however many texts the server has left unanswered.
   */
  readonly ask: (
    text: string,
    enough?: (texts: ReadonlyArray<string>) => boolean,
    patience?: Duration.Duration
  ) => Effect.Effect<Answer, Unverified>
  /**
   * Waits until a text of those that have come fulfils the predicate; `undefined` where none does in time. Texts that passed
   * before the place `from` do not count.
   */
  readonly until: (
    predicate: (text: string) => boolean,
    patience?: Duration.Duration,
    from?: number
  ) => Effect.Effect<string | undefined>
  /** Waits until enough texts have come, or patience is over, and gives all that have. */
  readonly gather: (enough: (texts: ReadonlyArray<string>) => boolean) => Effect.Effect<ReadonlyArray<string>>
  /** Why it has ended, where it has. */
  readonly ended: () => string | undefined
  /** The texts that have passed. */
  readonly passed: () => ReadonlyArray<Passed>
}

/** The behaviour of a line that no probe asks for. */
export interface Options {
  readonly patience: Patience
  /** How long the first answer may take, where that is longer than for others. */
  readonly start?: Duration.Duration | undefined
  /** A request that the server answers, whatever with, from the text of an id. */
  readonly sentinel: ((id: string) => string) | undefined
  /** The reply to a request of the server, where it needs one. */
  readonly reply: (text: string) => string | undefined
}

/** How many texts of a line are kept, and how many characters of them. A server that writes more is not read any more. */
const mostTexts = 20_000
const mostLength = 256 * 1024 * 1024

/** Reads the transport in the background until it ends. */
export const make = Effect.fnUntraced(function*(
  transport: Transport,
  { patience, reply, sentinel, start = patience.answer }: Options
): Effect.fn.Return<Line, never, Scope.Scope> {
  const passed: Array<Passed> = []
  const sentinels = new Set<string>()
  let ended: string | undefined
  let hasStarted = false
  let count = 0
  let length = 0
  let news = Latch.makeUnsafe(false)

  const tell = Effect.sync(() => {
    const before = news
    news = Latch.makeUnsafe(false)
    before.openUnsafe()
  })
  const over = ({ message }: Pick<TransportError, "message">) =>
    Effect.suspend(() => {
      ended ??= message
      return tell
    })
  const write = (...texts: readonly [string, ...ReadonlyArray<string>]) =>
    Effect.catch(
      transport.send(texts),
      (error) =>
        Effect.andThen(over(error), Effect.fail(new Unverified({ reason: `nothing could be sent: ${error.message}` })))
    )

  const receive = Effect.gen(function*() {
    while (true) {
      const all = yield* transport.receive
      for (const one of all) {
        const text = typeof one === "string" ? one : one.excerpt
        const id = Json.idOf(text)
        if (id !== undefined && sentinels.has(id)) {
          sentinels.delete(id)
          hasStarted = true
          continue
        }
        passed.push({ direction: "received", text })
        length += text.length
        if (passed.length > mostTexts || length > mostLength) {
          return yield* over({ message: "the server writes without an end" })
        }
        const answer = typeof one === "string" ? reply(text) : undefined
        if (answer !== undefined) {
          passed.push({ direction: "sent", text: answer })
          yield* transport.send([answer])
        }
      }
      yield* tell
    }
  })
  yield* Effect.forkScoped(Effect.catch(receive, over))

  const wait = (isOver: () => boolean, time: Duration.Duration): Effect.Effect<boolean> =>
    Effect.map(
      Effect.timeoutOption(
        Effect.suspend(function again(): Effect.Effect<void> {
          return isOver() ? Effect.void : Effect.andThen(news.await, Effect.suspend(again))
        }),
        time
      ),
      (option) => option._tag === "Some"
    )

  const receivedAfter = (at: number) =>
    passed.slice(at).flatMap(({ direction, text }) => direction === "received" ? [text] : [])

  const send = (...texts: readonly [string, ...ReadonlyArray<string>]) =>
    Effect.suspend(() => {
      for (const text of texts) passed.push({ direction: "sent", text })
      return write(...texts)
    })

  return {
    send,
    ended: () => ended,
    passed: () => [...passed],
    gather: (enough) =>
      Effect.map(
        wait(() => ended !== undefined || enough(receivedAfter(0)), patience.answer),
        () => receivedAfter(0)
      ),
    until: (predicate, time = patience.answer, from = 0) =>
      Effect.map(
        wait(() => ended !== undefined || receivedAfter(from).some(predicate), time),
        () => receivedAfter(from).find(predicate)
      ),
    ask: (text, enough, whole) =>
      Effect.gen(function*() {
        const at = passed.length
        yield* send(text)
        const isOver = () => ended !== undefined || enough?.(receivedAfter(at)) === true
        let isWhole = false
        const hasAnswered = hasStarted || receivedAfter(0).length > 0
        if (sentinel === undefined) yield* wait(isOver, hasAnswered ? patience.answer : start)
        else {
          const id = `parley-conform-${++count}`
          sentinels.add(JSON.stringify(id))
          // A server that has ended the connection answers no sentinel either.
          yield* Effect.ignore(write(sentinel(JSON.stringify(id))))
          const time = hasAnswered ? whole ?? patience.sentinel ?? patience.answer : start
          const isRead = () => !sentinels.has(JSON.stringify(id))
          const [took, isInTime] = yield* Effect.timed(wait(() => isOver() || isRead(), time))
          isWhole = isInTime
          // A text that came for another reason says nothing about the server's reading.
          if (!isWhole || isRead()) patience.hear?.(isWhole ? took : undefined)
          if (!isOver()) yield* wait(isOver, patience.silence)
          if (!isOver() && isWhole && enough !== undefined && patience.disorder !== undefined) {
            const [late, isLate] = yield* Effect.timed(wait(isOver, patience.disorder))
            patience.doubt?.(isLate ? late : undefined)
          }
        }
        return { texts: receivedAfter(at), ended, isWhole, exchange: passed.slice(at) }
      })
  }
})
