/**
 * A request of HTTP that another node answers, as texts of a mesh: its head, body and principal, as `Travel` writes them,
 * one way, the pieces of
 * the answer the other, each written when the one before it was read.
 *
 * ```
 *   request  →
 *            ←  stay                  the answer lasts as long as its client likes
 *            ←  start, piece …        a stream
 *            ←  reply, refusal        the end
 *            ←                        nothing: the session is not there any more, or not yet
 * ```
 */
import type { Reply, Responder } from "@parley/http/HttpEndpoint"
import { RequestRules } from "@parley/http/shared"
import { type Mesh, NoOwner, type SendError } from "@parley/mesh/Mesh"
import * as Handshake from "@parley/transport/Handshake"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { streamed } from "../server/replies.ts"
import type { Answer } from "./Answer.ts"
import type { Travel } from "./Travel.ts"

const Strings = Schema.Record(Schema.String, Schema.String)

const Forwarded = Schema.fromJsonString(Schema.Struct({
  method: Schema.String,
  url: Schema.String,
  headers: Strings,
  address: Schema.optionalKey(Schema.String),
  principal: Schema.optionalKey(Schema.String),
  /** Those of the principal. */
  scopes: Schema.Array(Schema.String),
  until: Schema.optionalKey(Schema.Finite),
  services: Schema.Record(Schema.String, Schema.Json)
}))

/** A line of JSON, and a text behind it, which is not escaped again. */
const Said = Schema.fromJsonString(Schema.Union([
  Schema.TaggedStruct("Stay", {}),
  Schema.TaggedStruct("Start", { status: Schema.Int, headers: Strings }),
  Schema.TaggedStruct("Piece", {}),
  Schema.TaggedStruct("Reply", { status: Schema.Int, headers: Strings, hasBody: Schema.Boolean }),
  Schema.TaggedStruct("Refusal", { status: Schema.Int, headers: Strings })
]))

type Said = typeof Said.Type

const decodeForwarded = Schema.decodeUnknownOption(Forwarded)
const decodeSaid = Schema.decodeUnknownOption(Said)

const textOf = (head: unknown, text: string): string => `${JSON.stringify(head)}\n${text}`

const split = (text: string): readonly [head: string, rest: string] => {
  const end = text.indexOf("\n")
  return [text.slice(0, end), text.slice(end + 1)]
}

/** How much a client learned before the answer broke off. @internal */
export interface Progress {
  isStarted: boolean
}

/** Has the node that holds a session answer a request, and writes each piece of the answer. @internal */
export const forward = (
  { mesh, travel }: { readonly mesh: Mesh; readonly travel: Travel },
  to: { readonly name: string; readonly node: string },
  { head, principal }: Handshake.Handshake,
  text: string,
  responder: Responder,
  progress: Progress
): Effect.Effect<Reply | RequestRules.Refusal, SendError> =>
  Effect.suspend(() => {
    const { address, method, url } = travel.head(head)
    const request: typeof Forwarded.Type = {
      method,
      url,
      headers: travel.headersOf(head),
      ...(address === undefined ? undefined : { address }),
      ...travel.write(principal)
    }
    let end: Reply | RequestRules.Refusal = unreadable
    let isTaken = false
    const take = (said: string): Effect.Effect<void> => {
      isTaken = true
      const [line, rest] = split(said)
      const step = Option.getOrUndefined(decodeSaid(line))
      switch (step?._tag) {
        case "Stay":
          return Effect.sync(() => {
            const refusal = responder.toStream()
            if (refusal !== undefined) end = refusal
          })
        case "Start":
          progress.isStarted = true
          return responder.start(step.status, step.headers)
        case "Piece":
          return responder.write(rest)
        case "Reply":
          end = { status: step.status, headers: step.headers, body: step.hasBody ? rest : undefined }
          return Effect.void
        case "Refusal":
          end = new RequestRules.Refusal(step.status, rest, step.headers)
          return Effect.void
        case undefined:
          return Effect.void
      }
    }
    const pieces = mesh.call(to, textOf(request, text))
    // A refusal of this host ends it: the owner is not read any more.
    const taken = Stream.runForEachWhile(pieces, (said) => Effect.map(take(said), () => end === unreadable))
    const answered = Effect.flatMap(
      taken,
      () => isTaken ? Effect.succeed(end) : Effect.fail(new NoOwner({ key: to.name }))
    )
    // The call goes on at its owner, to which the client comes back by another node.
    const left = Effect.map(over(responder), () => progress.isStarted ? streamed : RequestRules.shuttingDown)
    return Effect.raceFirst(answered, left)
  })

/** Waits until the time that this host has to drain is over. */
const over = ({ onDraining }: Responder): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const stop = onDraining?.((step) => {
      if (step === "over") resume(Effect.void)
    })
    return Effect.sync(() => stop?.())
  })

const unreadable = new RequestRules.Refusal(
  502,
  "The process that has the session gave an answer that this one cannot read."
)

/** Answers requests of other nodes. One of a session that is not here is not answered at all. @internal */
export const handle =
  (travel: Travel, answer: Answer, isHere: (head: RequestRules.Head, principal: string | undefined) => boolean) =>
  ({ text }: { readonly text: string }, say: (text: string) => Effect.Effect<void>) =>
    Effect.suspend((): Effect.Effect<string | void> => {
      const [line, body] = split(text)
      const request = Option.getOrUndefined(decodeForwarded(line))
      const services = request && travel.read(request)
      if (request === undefined || services === undefined) return Effect.succeed(endOf(unknown))
      const { address, headers, method, principal, url } = request
      const head: RequestRules.Head = {
        method,
        url,
        address,
        header: (name) => Object.hasOwn(headers, name) ? headers[name] : undefined,
        names: () => Object.keys(headers)
      }
      if (!isHere(head, principal)) return Effect.void
      const handshake = travel.handshake(head, services)
      return Effect.map(
        Effect.provideService(answer(handshake, body, new Sayer(say)), Handshake.Current, handshake),
        endOf
      )
    })

/** The answers that run for other nodes, but for streams that last as long as their clients like. @internal */
export class ForwardedAnswers {
  #running = 0
  #onIdle: (() => void) | undefined

  readonly counted = (answer: Answer): Answer => (handshake, ...asked) =>
    Effect.suspend(() => {
      if (handshake.head.method === "GET") return answer(handshake, ...asked)
      this.#running++
      return Effect.onExitPrimitive(answer(handshake, ...asked), () => {
        if (--this.#running === 0) this.#onIdle?.()
        return undefined
      })
    })

  /** Ends when none runs, and the last is on its way. */
  readonly idle: Effect.Effect<void> = Effect.callback((resume) => {
    this.#onIdle = () => resume(Effect.yieldNow)
    if (this.#running === 0) this.#onIdle()
  })
}

const unknown = new RequestRules.Refusal(502, "The process that forwarded the request speaks another version.")

const endOf = (end: Reply | RequestRules.Refusal): string => {
  const { headers, status } = end
  if (end instanceof RequestRules.Refusal) return textOf({ _tag: "Refusal", status, headers } satisfies Said, end.text)
  const hasBody = end.body !== undefined
  return textOf({ _tag: "Reply", status, headers, hasBody } satisfies Said, end.body ?? "")
}

/** A responder that another node writes for. */
class Sayer implements Responder {
  readonly #say: (text: string) => Effect.Effect<void>
  #isStaying = false

  constructor(say: (text: string) => Effect.Effect<void>) {
    this.#say = say
  }

  start(status: number, headers: Readonly<Record<string, string>>): Effect.Effect<void> {
    const started = this.#say(textOf({ _tag: "Start", status, headers } satisfies Said, ""))
    return Effect.suspend(() => this.#isStaying ? Effect.andThen(this.#say(staying), started) : started)
  }

  write(piece: string | Uint8Array): Effect.Effect<void> {
    const text = typeof piece === "string" ? piece : new TextDecoder().decode(piece)
    return this.#say(textOf({ _tag: "Piece" } satisfies Said, text))
  }

  /** The host of the client decides, before anything is written. */
  toStream(): undefined {
    this.#isStaying = true
  }
}

const staying = textOf({ _tag: "Stay" } satisfies Said, "")
