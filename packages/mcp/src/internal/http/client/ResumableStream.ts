/**
 * An event stream that is taken up again where it broke off: a GET with
 * `Last-Event-ID`, after the time that the server asked for.
 *
 * The first GET after a stream that gave a message waits as long as the server
 * said, but a tenth of a second at the least, else as long as the schedule says;
 * those after it as long as the longer of the two. A comment, an event of another
 * kind and a time to wait are no messages: a server that sends no more than those
 * is asked more and more rarely. No two clients wait equally long.
 */
import { EventStream, MediaType } from "@parley/http/shared"
import { AnswerReader, HttpFetcher } from "@parley/http/shared/client"
import type { Disconnected, HttpStatusError } from "@parley/peer/Caller"
import type { Exchange } from "@parley/peer/shared"
import { Backoff } from "@parley/transport/shared"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import * as Schedule from "effect/Schedule"
import type { Headers, HttpLine } from "./HttpLine.ts"

/** Takes a text. Where it gives an effect, nothing more is read before that has ended. */
export type Take = (text: string) => Effect.Effect<void> | undefined

/** How far a stream was read. */
export interface Place {
  /** Names the place behind the last event that has one. */
  id: string | undefined
  /** Milliseconds to wait before the stream is taken up again, as the server says. */
  retry: number | undefined
  /** Whether no GET has opened it yet, or a message came since one did. */
  isFresh: boolean
  /** Whether the server has ever opened it. */
  isKnown: boolean
}

export const start = (): Place => ({ id: undefined, retry: undefined, isFresh: true, isKnown: false })

/** How the waits between attempts grow: 1 second, half as much again each time, at most 30 seconds. */
export const backoff: Schedule.Schedule<Duration.Duration> = Backoff.make({
  first: "1 second",
  factor: 1.5,
  most: "30 seconds"
})

/** Milliseconds. A server that ends each stream at once and asks for no wait would be asked without a pause. */
const leastWait = 100

/** Hands the texts of a stream on, until it ends. */
export const follow = (
  response: HttpFetcher.Response,
  frame: number,
  place: Place,
  take: Take
): Effect.Effect<void, Exchange.BadAnswer | Disconnected> => {
  place.isKnown = true
  return HttpFetcher.events(response, frame, (event) => {
    if (event._tag === "Retry") {
      place.retry = event.milliseconds
      return undefined
    }
    // An empty id says that there is no place to resume from, and one that no header can carry names none.
    if (event.id !== undefined) place.id = event.id === "" || unsendable.test(event.id) ? undefined : event.id
    if (event.event !== "message") return undefined
    // A server that closes a stream to be polled sends an event without data first, which names the place.
    place.isFresh ||= event.data !== "" || event.id !== undefined
    return event.data === "" ? undefined : take(event.data)
  })
}

/** Whether an answer is an event stream. */
export const isStream = ({ header, status }: HttpFetcher.Response): boolean =>
  status === 200 && MediaType.essenceOf(header("content-type") ?? "") === EventStream.contentType

export interface Options<R> {
  readonly line: HttpLine
  readonly place: Place
  readonly take: Take
  readonly schedule: Schedule.Schedule<unknown, unknown, never, R>
  /** Whether nobody needs the stream any more. */
  readonly isOver: () => boolean
  /**
   * Turns the failure of an attempt into a success, so that the next attempt follows. Without this, every failure ends
   * the stream.
   */
  readonly mend?: (
    error: Exchange.BadAnswer | HttpStatusError
  ) => Effect.Effect<void, Exchange.BadAnswer | HttpStatusError>
}

/**
 * Opens the stream, and again each time it ends, until nobody needs it or the schedule allows no further attempt. Fails
 * where the server refuses it for good.
 */
export const keep = <R>(options: Options<R>): Effect.Effect<void, Exchange.BadAnswer | HttpStatusError, R> =>
  Effect.andThen(attempt(options), resume(options))

/** As `keep`, for a stream that has ended: waits first. */
export const resume = Effect.fnUntraced(
  function*<R>(options: Options<R>): Effect.fn.Return<void, Exchange.BadAnswer | HttpStatusError, R> {
    const { isOver, place, schedule } = options
    const clock = yield* Clock.Clock
    let step = yield* Schedule.toStep(schedule)
    while (!isOver()) {
      const { isFresh, retry } = place
      if (isFresh) step = yield* Schedule.toStep(schedule)
      const delay = yield* Pull.matchEffect(step(clock.currentTimeMillisUnsafe(), undefined), {
        onSuccess: ([, delay]) => Effect.succeed(Duration.toMillis(delay)),
        onFailure: Effect.failCause,
        onDone: () => Effect.undefined
      })
      if (delay === undefined) return
      const asked = retry === undefined ? 0 : Duration.toMillis(yield* Backoff.atLeast(Math.max(retry, leastWait)))
      yield* Effect.sleep(Duration.millis(isFresh && retry !== undefined ? asked : Math.max(asked, delay)))
      if (!isOver()) yield* attempt(options)
    }
  }
)

/** One GET, read to its end. A failure that may pass counts as an end. */
const attempt = <R>(
  { line, mend, place, take }: Options<R>
): Effect.Effect<void, Exchange.BadAnswer | HttpStatusError> => {
  const once = Effect.suspend(() => {
    place.isFresh = false
    const headers: Headers = place.id === undefined ? accept : { ...accept, "last-event-id": inBytes(place.id) }
    return line.fetch("GET", headers).pipe(
      Effect.flatMap((response): Effect.Effect<void, Exchange.BadAnswer | Disconnected | HttpStatusError> =>
        isStream(response)
          ? follow(response, line.frame, place, take)
          : isPassing(response)
          ? response.read(() => undefined)
          : refuse(response)
      ),
      Effect.scoped,
      Effect.catchTag("Disconnected", () => Effect.void)
    )
  })
  return mend === undefined ? once : Effect.catch(once, mend)
}

/** Control characters but the tab, which no header may have. */
const unsendable = /(?![\t\u0080-\u009f])\p{Cc}/u

/** The UTF-8 of a text, a character for each byte, which is what a header holds. */
const inBytes = (text: string): string =>
  beyondAscii.test(text) ? Array.from(utf8.encode(text), (byte) => String.fromCharCode(byte)).join("") : text

const beyondAscii = /[^\t -~]/

const utf8 = new TextEncoder()

export const accept: Headers = { accept: EventStream.contentType }

/** Whether what failed may go well another time: the connection, or a server that could not take it then. */
export const mayPass = (error: Exchange.ExchangeError): boolean =>
  error._tag === "Disconnected" || (error._tag === "HttpStatusError" && isPassing(error))

/** The server has a fault, or a request took too long, came too early, or was one of too many. */
const isPassing = ({ status }: { readonly status: number }): boolean =>
  status >= 500 || status === 408 || status === 425 || status === 429

/** Reads as much of an answer as shows what answered, and fails with it. */
export const refuse = (response: HttpFetcher.Response): Effect.Effect<never, Disconnected | HttpStatusError> =>
  Effect.suspend(() => {
    const characters = new TextDecoder()
    let excerpt = ""
    const refusal = () =>
      Effect.fail(AnswerReader.refusal(response.status, excerpt.slice(0, excerptLength), response.header))
    const read = response.read((chunk) => {
      excerpt += characters.decode(chunk.subarray(0, excerptLength), { stream: true })
      return excerpt.length < excerptLength ? undefined : refusal()
    })
    return Effect.andThen(read, Effect.suspend(refusal))
  })

/** Characters of a body that show what answered. */
const excerptLength = 1_024
