/**
 * The exchange of a session over Streamable HTTP: a text is the body of a POST,
 * and what comes back is one text, or a stream of events.
 *
 * In the legacy era a stream that ends before the response came is taken up again
 * as long as the call waits. In the modern era its end is the end of the call, and
 * to close it is to cancel the call.
 */
import { MediaType } from "@parley/http/shared"
import { HttpExchange, type HttpFetcher } from "@parley/http/shared/client"
import { Disconnected } from "@parley/peer/Caller"
import type { Exchange } from "@parley/peer/shared"
import * as Message from "@parley/protocol/Message"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type * as Schedule from "effect/Schedule"
import * as Semaphore from "effect/Semaphore"
import { sessionHeader } from "../headers.ts"
import type { Headers, HttpLine } from "./HttpLine.ts"
import type { Outgoing } from "./Outgoing.ts"
import * as ResumableStream from "./ResumableStream.ts"

export interface Options {
  readonly line: HttpLine
  /** Requests of the legacy era that may be in flight at once. */
  readonly concurrency: number
  readonly schedule: Schedule.Schedule<unknown>
  /** The server does not know the session of a message that nobody waits for. */
  readonly onExpired: () => void
}

/** What every POST says of itself. */
export const headers: Headers = {
  "content-type": "application/json",
  accept: MediaType.jsonOrEvents
}

export type Post = (
  text: string,
  outgoing: Outgoing | undefined,
  take: ResumableStream.Take
) => Effect.Effect<Exchange.Ending, Exchange.ExchangeError>

export const make = ({ concurrency, line, onExpired, schedule }: Options): Post => {
  const places = Semaphore.makeUnsafe(concurrency)

  const expired = (response: HttpFetcher.Response, outgoing: Outgoing | undefined, session: string) => {
    if (outgoing !== undefined) outgoing.hasExpired = true
    else if (line.session === session) onExpired()
    return ResumableStream.refuse(response)
  }

  /** Takes the stream of a call up again until the call has ended, or its session. */
  const resume = (
    outgoing: Outgoing,
    session: string | undefined,
    place: ResumableStream.Place,
    take: ResumableStream.Take,
    lost: Disconnected
  ): Effect.Effect<Exchange.Ending, Exchange.ExchangeError> =>
    ResumableStream.resume({
      line,
      place,
      take,
      schedule,
      isOver: () => outgoing.isOver || line.session !== session
    }).pipe(
      Effect.mapError((error) => {
        if (error._tag !== "HttpStatusError") return error
        // The call may have run in the session that is over, so it must not be made again by itself.
        if (error.status === 404 && session !== undefined && line.session === session) onExpired()
        // A server that does not resume says so with any of the others.
        return error.status === 401 || error.status === 403 ? error : lost
      }),
      Effect.flatMap(() => outgoing.isOver ? Effect.succeed<Exchange.Ending>("stream") : Effect.fail(lost))
    )

  const stream = (
    response: HttpFetcher.Response,
    outgoing: Outgoing | undefined,
    session: string | undefined,
    take: ResumableStream.Take
  ): Effect.Effect<Exchange.Ending, Exchange.ExchangeError> =>
    Effect.suspend(() => {
      const place = ResumableStream.start()
      const canResume = () =>
        outgoing?.isRequest === true && !outgoing.isOver && place.id !== undefined &&
        (line.codec === undefined ? session !== undefined : line.codec.features.http !== "stateless")
      return Effect.matchEffect(ResumableStream.follow(response, line.frame, place, take), {
        onFailure: (error) =>
          error._tag === "Disconnected" && outgoing !== undefined && canResume()
            ? resume(outgoing, session, place, take, error)
            : Effect.fail(error),
        onSuccess: () =>
          outgoing !== undefined && canResume()
            ? resume(outgoing, session, place, take, new Disconnected({ reason: { _tag: "EndOfInput" }, sent: true }))
            : Effect.succeed<Exchange.Ending>("stream")
      })
    })

  const read = (
    response: HttpFetcher.Response,
    outgoing: Outgoing | undefined,
    session: string | undefined,
    take: ResumableStream.Take
  ): Effect.Effect<Result.Result<Exchange.Ending, Exchange.ExchangeError>, Exchange.ExchangeError> => {
    if (response.status === 404 && session !== undefined) return expired(response, outgoing, session)
    if (outgoing !== undefined) outgoing.status = response.status
    const isOpening = outgoing?.method === "initialize" && response.status < 300
    if (isOpening) line.session = response.header(sessionHeader)
    return ResumableStream.isStream(response)
      ? Effect.map(stream(response, outgoing, isOpening ? line.session : session, take), Result.succeed)
      : HttpExchange.read(response, line.frame, response.status < 300 ? take : (text) => take(withId(text)))
  }

  const post: Post = (text, outgoing, take) =>
    Effect.suspend(() => {
      const { session } = line
      const all = outgoing === undefined ? headers : { ...headers, ...outgoing.headers }
      return line.fetch("POST", all, text).pipe(
        Effect.flatMap((response) => read(response, outgoing, session, take)),
        Effect.scoped,
        Effect.flatMap(Effect.fromResult)
      )
    })

  return (text, outgoing, take) => {
    // The server waits for an answer of ours, and takes one that it has already for nothing.
    if (outgoing === undefined) {
      return Effect.retry(post(text, outgoing, take), { schedule, while: ResumableStream.mayPass })
    }
    // What the server asks within a call needs a connection for the answer, which calls must not all hold.
    return outgoing.isRequest && !outgoing.isModern
      ? places.withPermit(post(text, outgoing, take))
      : post(text, outgoing, take)
  }
}

/** An error that was sent without an id is that of the one call of its POST: in JSON-RPC, it has id null. */
const withId = (text: string): string => {
  const json = Result.getOrUndefined(Message.parse(text))
  return Predicate.isObject(json) && Object.hasOwn(json, "error") && !Object.hasOwn(json, "id")
    ? JSON.stringify({ ...json, id: null })
    : text
}
