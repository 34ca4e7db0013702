/** One request over HTTP and its answer, which a conversation fills while it goes on. */
import type * as HttpEndpoint from "@parley/http/HttpEndpoint"
import { EventStream, MediaType, RequestRules } from "@parley/http/shared"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import { type ServerHead, sessionHeader } from "../../recording/Script.ts"
import { type Faults, spoilt } from "../Fault.ts"
import type { Emission } from "../Play.ts"

/** A part of an answer. */
export type Part = Pick<Emission<unknown>, "answers" | "step" | "text">

/** How answers are written. */
export interface Options {
  readonly faults: Faults
  /** The session that the headers of an answer name. */
  readonly session: string | undefined
}

export class Exchange {
  readonly isStream: boolean
  readonly #parts: Queue.Queue<Part, Cause.Done>

  constructor(parts: Queue.Queue<Part, Cause.Done>, isStream: boolean) {
    this.#parts = parts
    this.isStream = isStream
  }

  static make = (isStream: boolean): Effect.Effect<Exchange> =>
    Effect.map(Queue.unbounded<Part, Cause.Done>(), (parts) => new Exchange(parts, isStream))

  /** Adds a part of the answer. It is one that was recorded, so there are no more than of those. */
  add(part: Part): void {
    Queue.offerUnsafe(this.#parts, part)
  }

  /** Ends the answer before its end, because its session has ended. */
  end(): void {
    Queue.endUnsafe(this.#parts)
  }

  /** Writes the answer, part by part, until its end. */
  answer(
    responder: HttpEndpoint.Responder,
    { faults, session }: Options
  ): Effect.Effect<HttpEndpoint.Reply | RequestRules.Refusal> {
    const parts = this.#parts
    const { isStream } = this
    return Effect.gen(function*() {
      let head: Pick<ServerHead, "headers" | "status"> = { status: 200, headers: {} }
      let isStarted = false
      let body = ""
      const begin = Effect.suspend(() => {
        const isEvents = MediaType.essenceOf(head.headers["content-type"] ?? "") === EventStream.contentType
        if (!isEvents || isStarted) return Effect.succeed(undefined)
        isStarted = true
        const refusal = isStream ? responder.toStream() : undefined
        if (refusal !== undefined) return Effect.succeed(refusal)
        return Effect.as(responder.start(head.status, { ...EventStream.headers, ...head.headers }), undefined)
      })
      while (true) {
        const next = yield* Effect.option(Queue.take(parts))
        if (Option.isNone(next)) {
          return isStarted ? { status: head.status, headers: {}, body: undefined } : noSession
        }
        const { answers, step, text = "" } = next.value
        if (step._tag === "ServerHead") {
          head = { status: step.status, headers: headersOf(step.headers, session) }
          const refusal = yield* begin
          if (refusal !== undefined) return refusal
        } else if (step._tag === "ServerText") {
          const { delay, effect } = faults.of(answers)
          if (delay !== undefined) yield* Effect.sleep(delay)
          if (effect?._tag === "drop") continue
          if (effect?._tag === "close") {
            if (!isStarted) yield* responder.start(head.status, head.headers)
            return new RequestRules.Refusal(502, "The mock has closed the connection.")
          }
          const written = effect === undefined ? text : spoilt(text, effect)
          if (isStarted) yield* responder.write(EventStream.encodeFields({ data: written, id: step.event }))
          else body += written
        } else if (step._tag === "ServerEvent") {
          const event = step.name === "message" ? undefined : step.name
          if (isStarted) yield* responder.write(EventStream.encodeFields({ event, id: step.id, data: text }))
        } else {
          return isStarted
            ? { status: head.status, headers: {}, body: undefined }
            : { status: head.status, headers: head.headers, body: body === "" ? undefined : body }
        }
      }
    })
  }
}

/** The answer to a request of a session that has ended. */
export const noSession = new RequestRules.Refusal(404, "The mock has no such session.")

const headersOf = (
  headers: Readonly<Record<string, string>>,
  session: string | undefined
): Readonly<Record<string, string>> => {
  if (!Object.hasOwn(headers, sessionHeader)) return headers
  const { [sessionHeader]: _, ...rest } = headers
  return session === undefined ? rest : { ...rest, [sessionHeader]: session }
}
