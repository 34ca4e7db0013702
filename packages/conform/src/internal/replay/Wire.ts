/** How the client's part of a conversation is sent, and what comes is received. */
import { EventStream, MediaType } from "@parley/http/shared"
import { HttpFetcher } from "@parley/http/shared/client"
import * as Limits from "@parley/protocol/Limits"
import { JsonObject } from "@parley/protocol/shared"
import type { Transport, TransportError } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Http } from "../../Target.ts"
import * as Message from "../recording/Message.ts"
import { type ClientStep, sessionHeader } from "../recording/Script.ts"

/** The side that hears what comes. */
export interface Ear {
  readonly text: (text: string) => Effect.Effect<void>
  readonly status: (exchange: number | undefined, status: number) => Effect.Effect<void>
  readonly ended: (why: string) => Effect.Effect<void>
  /** Nothing more comes of what the client did, over HTTP. */
  readonly lost: (step: ClientStep) => Effect.Effect<void>
}

/** A conversation with a server of now. */
export interface Wire {
  /** Sends what the client did, with this text. */
  readonly send: (step: ClientStep, text: string) => Effect.Effect<void>
  /** Answers a request that nobody expected, so that the server goes on. */
  readonly answer: (text: string) => Effect.Effect<void>
}

/** A conversation over a connection. */
export const overTransport = Effect.fnUntraced(function*(
  transport: Transport,
  ear: Ear
): Effect.fn.Return<Wire, never, Scope.Scope> {
  const over = ({ message }: TransportError) => ear.ended(message)
  yield* Effect.forkScoped(Effect.catch(
    Effect.forever(
      Effect.flatMap(
        transport.receive,
        (all) => Effect.forEach(all, (one) => ear.text(typeof one === "string" ? one : one.excerpt), { discard: true })
      ),
      { disableYield: true }
    ),
    over
  ))
  const write = (text: string) => Effect.catch(transport.send([text]), over)
  return { send: (step, text) => step._tag === "ClientText" ? write(text) : Effect.void, answer: write }
})

const usual = { "content-type": "application/json", accept: "application/json, text/event-stream" }

/** A conversation over HTTP. Each request runs beside the others, as those of the client did. */
export const overHttp = Effect.fnUntraced(function*(
  { fetcher, headers: own, url }: Http,
  ear: Ear,
  isRecorded: boolean
): Effect.fn.Return<Wire, never, Scope.Scope> {
  const scope = yield* Effect.scope
  let session: string | undefined
  let version: string | undefined
  let isListening = false
  const limit = Limits.defaults.frame

  /** The headers of a client that was recorded on another wire. */
  const known = (): Readonly<Record<string, string>> => ({
    ...usual,
    ...(session !== undefined && { [sessionHeader]: session }),
    ...(version !== undefined && { "mcp-protocol-version": version })
  })
  const headersOf = ({ headers }: ClientStep): Readonly<Record<string, string>> => {
    if (!isRecorded) return known()
    const { [sessionHeader]: named, ...rest } = headers
    return named === undefined || session === undefined ? rest : { ...rest, [sessionHeader]: session }
  }

  const hear = (text: string) => {
    version ??= versionOf(text)
    return ear.text(text)
  }

  const request = (method: string, headers: Readonly<Record<string, string>>, body?: string, step?: ClientStep) => {
    const lost = step === undefined ? Effect.void : ear.lost(step)
    return Effect.scoped(Effect.gen(function*() {
      const response = yield* fetcher.fetch({ method, url, headers: { ...headers, ...own }, body })
      session = response.header(sessionHeader) ?? session
      yield* ear.status(step?.exchange, response.status)
      const type = MediaType.essenceOf(response.header("content-type") ?? "")
      if (type === EventStream.contentType) {
        return yield* HttpFetcher.events(
          response,
          limit,
          (event) =>
            event._tag === "Event" && event.event === "message" && event.data !== "" ? hear(event.data) : undefined
        )
      }
      const text = yield* HttpFetcher.text(response, limit)
      if (MediaType.isJson(type) && text !== "") yield* hear(text)
      else if (response.status >= 400) yield* lost
    })).pipe(
      Effect.catch((error) => Effect.andThen(ear.ended(error.message), lost)),
      Effect.forkIn(scope),
      Effect.asVoid
    )
  }

  const listen = Effect.suspend(() => {
    if (isRecorded || isListening || session === undefined) return Effect.void
    isListening = true
    return request("GET", { ...known(), accept: EventStream.contentType })
  })

  return {
    send: (step, text) =>
      step._tag === "ClientText"
        ? Effect.andThen(listen, request("POST", { ...usual, ...headersOf(step) }, text, step))
        : request(step.method, headersOf(step), undefined, step),
    answer: (text) => request("POST", known(), text)
  }
})

/** The version of MCP that a server has chosen. */
const versionOf = (text: string): string | undefined => {
  if (!text.includes("protocolVersion")) return undefined
  for (const { json } of Message.membersOf(text)) {
    const version = JsonObject.member(JsonObject.member(json, "result"), "protocolVersion")
    if (typeof version === "string") return version
  }
  return undefined
}
