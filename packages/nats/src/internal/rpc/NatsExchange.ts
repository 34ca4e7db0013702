/**
 * The exchange over a subject of NATS: a text is published with an inbox for its answer, and one answer comes back.
 *
 * A text that asks for no answer, such as a notification, is published alone. The exchange does not know calls:
 * `makeClient` makes calls over it, and a proxy can pass texts through it unchanged.
 *
 * ```ts
 * import { NatsClient, NatsRpc } from "@parley/nats"
 * import { Effect } from "effect"
 *
 * // Posts one text, and prints what answers it.
 * export const ask = (text: string) =>
 *   Effect.gen(function*() {
 *     const exchange = yield* NatsRpc.makeExchange({ subject: "bank" })
 *     yield* exchange.post(text, (answer) => Effect.log(answer))
 *   }).pipe(Effect.scoped, Effect.provide(NatsClient.layer({ servers: "127.0.0.1:4222" })))
 * ```
 *
 * @since 0.1.0
 */
import type { Msg } from "@nats-io/transport-node"
import { Disconnected } from "@parley/peer/Caller"
import { Exchange } from "@parley/peer/shared"
import * as Limits from "@parley/protocol/Limits"
import { Utf8 } from "@parley/protocol/shared"
import type * as Transport from "@parley/transport/Transport"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import { NatsClient } from "../../NatsClient.ts"
import { NatsError } from "../connection/NatsError.ts"
import * as OpenError from "../OpenError.ts"
import * as Question from "../Question.ts"
import * as Status from "../Status.ts"

/**
 * The subject that texts are published to, and the bounds.
 *
 * @category models
 * @since 0.1.0
 */
export interface NatsExchangeOptions {
  /** The subject of the service, as in `bank.accounts`. */
  readonly subject: string
  /** `frame` bounds an answer. */
  readonly limits?: Partial<Limits.Limits> | undefined
}

/**
 * Publishes texts, until the Scope closes. Fails with `Open` when the server forbids us an inbox.
 *
 * An exchange fails with `Disconnected`: `Open` and `sent: false` where nobody serves the subject, the connection is
 * away, the server forbids the subject, or the text is larger than it takes; `Lost` where the connection goes away before
 * the answer.
 * An exchange that is given up is not told to anybody: its answer is dropped when it comes.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeExchange: (
  options: NatsExchangeOptions
) => Effect.Effect<Exchange.Exchange, Transport.TransportError, NatsClient | Scope.Scope> = Effect.fnUntraced(
  function*({ limits, subject }) {
    const client = yield* NatsClient
    const { frame } = Limits.make(limits)
    const inbox = `${Status.newInbox()}.`
    const waiting = new Map<string, Deferred.Deferred<string, Exchange.ExchangeError>>()
    let count = 0

    yield* Effect.mapError(
      client.subscribe(`${inbox}*`, (message) => {
        const token = message.subject.slice(inbox.length)
        const answer = waiting.get(token)
        // Given up, or answered before.
        if (answer === undefined) return
        waiting.delete(token)
        Deferred.doneUnsafe(answer, read(message, subject, frame))
      }),
      OpenError.make
    )
    const failAll = (error: Disconnected) => {
      const all = [...waiting.values()]
      waiting.clear()
      for (const answer of all) Deferred.doneUnsafe(answer, Exit.fail(error))
    }
    yield* client.watchForbidden(subject, (error) => failAll(unsent(error)))
    yield* client.watch((state) => {
      if (state === "connected") return
      const cause = new NatsError({ subject, reason: { _tag: state === "closed" ? "Closed" : "Disconnected" } })
      failAll(new Disconnected({ reason: { _tag: "Lost", cause }, sent: true }))
    })

    return {
      post: (text, take) => {
        if (!Question.isAsked(text)) {
          return Effect.mapBoth(client.publish(subject, text), {
            onSuccess: () => "answer" as const,
            onFailure: unsent
          })
        }
        return Effect.suspend(() => {
          const token = (++count).toString(36)
          const answer = Deferred.makeUnsafe<string, Exchange.ExchangeError>()
          waiting.set(token, answer)
          return client.publish(subject, text, { reply: inbox + token }).pipe(
            Effect.mapError(unsent),
            Effect.andThen(Deferred.await(answer)),
            Effect.flatMap((text) => handedOn(text, take)),
            Effect.ensuring(Effect.sync(() => waiting.delete(token)))
          )
        })
      }
    }
  }
)

type Take = Parameters<Exchange.Exchange["post"]>[1]

const answered: Effect.Effect<Exchange.Ending> = Effect.succeed("answer")

/** An empty answer says that there is none, as to notifications. */
const handedOn = (text: string, take: Take): Effect.Effect<Exchange.Ending> => {
  const taken = text === "" ? undefined : take(text)
  return taken === undefined ? answered : Effect.as(taken, "answer")
}

/** The text of an answer, or why it holds none. */
const read = (message: Msg, subject: string, frame: number): Exit.Exit<string, Exchange.ExchangeError> => {
  if (Status.isNobody(message)) return Exit.fail(unsent(new NatsError({ subject, reason: { _tag: "Nobody" } })))
  const { data } = message
  if (data.length > frame) {
    return bad(`the answer has ${data.length} bytes, more than the limit \`frame\` of ${frame}`, data)
  }
  const text = Utf8.textOf(data)
  return text === undefined ? bad("the answer is no UTF-8", data) : Exit.succeed(text)
}

const bad = (rule: string, data: Uint8Array) => Exit.fail(Exchange.BadAnswer.ofBytes(rule, data))

const unsent = (cause: NatsError): Disconnected => new Disconnected({ reason: { _tag: "Open", cause }, sent: false })
