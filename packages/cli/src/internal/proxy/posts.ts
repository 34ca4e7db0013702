/**
 * Answers the POST requests of a listener with an exchange.
 *
 * Texts pass as they are. Where the client accepts events, what the endpoint sends
 * before its response is passed on at once, and the last response ends the stream;
 * where not, only what answers the client's text reaches it. What the endpoint
 * does not answer is answered with an error and the status 502.
 */
import type { Answer } from "@parley/http/HttpEndpoint"
import { RequestRules } from "@parley/http/shared"
import type { Exchange } from "@parley/peer/shared"
import * as Batch from "@parley/protocol/Batch"
import { type ErrorObject, Splice } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Asked } from "./Asked.ts"
import type { Options } from "./ExchangeTransport.ts"
import * as failures from "./failures.ts"

/** The answers to texts, out of this exchange. */
export const answering = ({ post }: Exchange.Exchange, { complain, rules }: Options): Answer => (text, options) =>
  Effect.suspend(() => {
    const reply = new Reply(new Asked(text, rules), options?.send)
    return Effect.matchEffect(post(text, (answer) => reply.take(answer)), {
      onSuccess: () => Effect.sync(() => reply.end(failures.unanswered)),
      onFailure: (error) =>
        reply.isAnswered
          ? Effect.sync(() => reply.end(failures.unanswered, badGateway))
          : Effect.map(complain(failures.sentenceOf(error)), () => reply.end(failures.ofExchange(error), badGateway))
    })
  })

const badGateway = 502

/** The reply to a POST, on its way to the client. */
class Reply {
  readonly #asked: Asked
  readonly #send: ((text: string) => Effect.Effect<void>) | undefined
  /** Texts that answer, and that were not sent. */
  #held: Array<string> = []
  #general: string | undefined
  #isStreaming = false

  constructor(asked: Asked, send: ((text: string) => Effect.Effect<void>) | undefined) {
    this.#asked = asked
    this.#send = send
  }

  /** Whether something came back, and nothing is left to be answered. */
  get isAnswered(): boolean {
    return this.#general !== undefined || (this.#held.length > 0 && this.#asked.isSettled)
  }

  take(text: string): Effect.Effect<void> | undefined {
    const kind = this.#asked.settle(text)
    if (kind === "general") {
      this.#general = text
      return undefined
    }
    if (kind === "answer" && this.#held.length === 0 && !this.#isStreaming) {
      this.#held = [text]
      return undefined
    }
    const send = this.#send
    if (send === undefined) {
      if (kind === "answer") this.#held.push(text)
      return undefined
    }
    const texts = [...this.#held, text]
    this.#held = []
    this.#isStreaming = true
    return Effect.forEach(texts, send, { discard: true })
  }

  /** The end of the answer. Requests without a response get this error; `status` is undefined for a success. */
  end(error: ErrorObject.ErrorObject, status?: number): Option.Option<string> | RequestRules.Refusal {
    if (this.#isStreaming) return Option.fromUndefinedOr(this.#asked.rest(error))
    if (this.#held.length === 0 && this.#general !== undefined) return answerWith(this.#general, status)
    const rest = this.#asked.rest(error)
    const texts = rest === undefined ? this.#held : [...this.#held, rest]
    return answerWith(joined(texts), status ?? (rest === undefined ? undefined : badGateway), error)
  }
}

const answerWith = (
  text: string | undefined,
  status: number | undefined,
  error?: ErrorObject.ErrorObject
): Option.Option<string> | RequestRules.Refusal => {
  if (status === undefined) return Option.fromUndefinedOr(text)
  return text === undefined
    ? new RequestRules.Refusal(status, `${error?.message ?? ""}.`)
    : new RequestRules.Refusal(status, text, { "content-type": "application/json" })
}

/** One text of the answers to one: those of a batch may come one by one. */
const joined = ([first, ...others]: ReadonlyArray<string>): string | undefined => {
  if (first === undefined || others.length === 0) return first
  const [part = "", ...parts] = [first, ...others].flatMap(Splice.parts)
  return Batch.join([part, ...parts])
}
