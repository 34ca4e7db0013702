/**
 * Answers the texts of a subject of NATS by a `Router`, in a queue group: any number of processes share the calls.
 *
 * The service takes no more than `Limits.inFlight` texts at once, and no more than its budget has room for. Further ones
 * are answered with the error "Overloaded", never with silence. When its Scope closes it takes no more, finishes what it
 * has taken within `Limits.drain`, and interrupts the rest.
 *
 * A text without a request, such as a notification, has no reply; who asked for one gets an empty message, so that
 * nobody waits. Any client of NATS may call: a text of JSON-RPC is the message, the reply is one as well. No reply goes to
 * a subject below `$`, where the server itself listens: a caller must not reach by it what only the service may. The option
 * `replies` holds them to the inboxes of clients.
 *
 * ```ts
 * import { Contract, Method } from "@parley/contract"
 * import { NatsClient, NatsRpc } from "@parley/nats"
 * import { Router } from "@parley/peer"
 * import { Effect, Layer, Schema } from "effect"
 *
 * const Bank = Contract.make("Bank", {
 *   balance: Method.make({ params: { account: Schema.String }, result: Schema.Finite })
 * })
 * const BankLive = Bank.toLayer({ balance: ({ account }) => Effect.succeed(account === "alice" ? 5 : 0) })
 *
 * // Processes that run this share the calls.
 * export const main = Layer.launch(NatsRpc.layerServer({ subject: "bank" })).pipe(
 *   Effect.provide(Layer.merge(Router.layer(BankLive), NatsClient.layer({ servers: "127.0.0.1:4222" })))
 * )
 * ```
 *
 * @since 0.1.0
 */
import type { Msg } from "@nats-io/transport-node"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import * as Router from "@parley/peer/Router"
import * as Dialect from "@parley/protocol/Dialect"
import * as Limits from "@parley/protocol/Limits"
import { BadFrame, ErrorReply, Excerpt, Utf8, Weight } from "@parley/protocol/shared"
import { Budget } from "@parley/transport/shared"
import type * as Transport from "@parley/transport/Transport"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { NatsClient } from "../../NatsClient.ts"
import * as OpenError from "../OpenError.ts"
import * as Replies from "../Replies.ts"
import * as Status from "../Status.ts"

/**
 * The subject of the service, and the bounds.
 *
 * @category models
 * @since 0.1.0
 */
export interface NatsServerOptions {
  /** The subject, as in `bank.accounts`. */
  readonly subject: string
  /** The queue whose members share the calls. The default is `parley`. */
  readonly queue?: string | undefined
  /** How the service uses JSON-RPC. `Dialect.jsonRpc` by default. Its `overloadCode` is the code of refusals. */
  readonly dialect?: Dialect.Dialect | undefined
  /**
   * The subjects to which replies may go, with the wildcards of NATS: `_INBOX.>` for the inboxes of clients. A text that wants
   * its reply elsewhere is not run, and the log has it. By default replies go to any subject but those below `$`.
   */
  readonly replies?: string | ReadonlyArray<string> | undefined
  /** `inFlight` bounds the texts that are answered at once, `budget` their weight, `frame` each, `drain` the end. */
  readonly limits?: Partial<Limits.Limits> | undefined
}

/**
 * Answers a text, as `Router.answer` does.
 *
 * @category models
 * @since 0.1.0
 */
export type Answer = (text: string, options?: Router.AnswerOptions) => Effect.Effect<Option.Option<string>>

/**
 * Where a service listens now.
 *
 * @category models
 * @since 0.1.0
 */
export interface Serving {
  /** Its URL, of the form `nats://127.0.0.1:4222/bank`. */
  readonly address: string
}

/**
 * Serves the `Router` in the context until the Scope closes. Fails with `Open` when the subject is none, or the server
 * forbids it.
 *
 * @category constructors
 * @since 0.1.0
 */
export const serve = (
  options: NatsServerOptions
): Effect.Effect<Serving, Transport.TransportError, NatsClient | Router.Router | Scope.Scope> =>
  Effect.flatMap(Router.Router, ({ answer }) => serveWith(options, answer))

/**
 * As `serve`, with a function that answers texts instead of a `Router`, for a proxy.
 *
 * @category constructors
 * @since 0.1.0
 */
export const serveWith: (
  options: NatsServerOptions,
  answer: Answer
) => Effect.Effect<Serving, Transport.TransportError, NatsClient | Scope.Scope> = Effect.fnUntraced(
  function*(options, answer) {
    const client = yield* NatsClient
    const { dialect = Dialect.jsonRpc, queue = "parley", subject } = options
    const limits = Limits.make(options.limits)
    const replies = Replies.make(options)
    const budget = Budget.make(limits.budget)
    const refusing = (code: number, message: string) => refusal(ErrorResponse.make(code, message), options)
    const overloaded = yield* refusing(dialect.overloadCode, "Overloaded")
    const responseTooLarge = yield* refusing(dialect.tooLargeCode, "Response too large")
    const shuttingDown = yield* refusal(ErrorResponse.shuttingDown(), options)
    const failed = yield* refusal(ErrorResponse.internalError(), options)
    const running = yield* Effect.acquireRelease(FiberSet.make<void>(), (running) =>
      // What was taken is finished, and has left, before the connection goes.
      Effect.timeoutOption(FiberSet.awaitEmpty(running), limits.drain).pipe(
        Effect.andThen(FiberSet.clear(running)),
        Effect.andThen(Effect.ignore(client.flushed))
      ))
    const fork = yield* FiberSet.runtime(running)()
    let taken = 0

    const answerOf = (text: string, data: Uint8Array): ReturnType<Answer> => {
      if (data.length > limits.frame) {
        const bad = BadFrame.ofBytes("TooLarge", data)
        return Effect.succeed(Option.fromUndefinedOr(ErrorReply.toBadFrame(bad, dialect)))
      }
      const weight = Weight.ofWaiting(text)
      if (taken >= limits.inFlight || !budget.fits(weight)) return overloaded(text)
      taken++
      const share = budget.share()
      share.take(weight)
      return answer(text, { budget: share }).pipe(
        Effect.catchDefect((defect) =>
          Effect.andThen(
            Effect.logError(`The answer to a text on ${Excerpt.line(subject)} died`, Excerpt.cause(Cause.die(defect))),
            failed(text)
          )
        ),
        Effect.ensuring(Effect.sync(() => {
          taken--
          share.close()
        }))
      )
    }

    const serveOne = (message: Msg): Effect.Effect<void> => {
      const { data } = message
      const reply = replies.of(message)
      if (reply === "refused") return replies.tell(subject, message)
      const text = Utf8.textOf(data) ?? BadFrame.toText(BadFrame.ofBytes("InvalidUtf8", data))
      const answered = answerOf(text, data)
      if (reply === undefined) return Effect.asVoid(answered)
      const publish = (answer: Option.Option<string>) =>
        client.publish(reply.subject, Option.getOrElse(answer, () => ""))
      return answered.pipe(
        Effect.flatMap(publish),
        Effect.catchReason(
          "NatsError",
          "TooLarge",
          ({ bytes, most }) =>
            // escaped: sizes
            Effect.logWarning(`The reply on ${Excerpt.line(subject)} has ${bytes} bytes, and the server takes ${most}`)
              .pipe(
                Effect.andThen(responseTooLarge(text)),
                Effect.flatMap(publish)
              )
        ),
        Effect.onInterrupt(() => Effect.ignore(Effect.flatMap(shuttingDown(text), publish))),
        Effect.catch((error) =>
          Effect.logWarning(`A reply on ${Excerpt.line(subject)} was not sent`, Excerpt.cause(Cause.fail(error)))
        )
      )
    }

    yield* Effect.mapError(client.subscribe(subject, (message) => void fork(serveOne(message)), queue), OpenError.make)
    return { address: Status.addressOf(client, subject) }
  }
)

/**
 * Serves the `Router` as long as the Layer lives. A new Layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerServer = (
  options: NatsServerOptions
): Layer.Layer<never, Transport.TransportError, NatsClient | Router.Router> =>
  Layer.effectDiscard(
    Effect.flatMap(serve(options), ({ address }) => Effect.logInfo(`Serving ${Excerpt.line(address)}`))
  )

/** Answers every request of a text with this error. */
const refusal = (
  error: ErrorResponse.ErrorResponse,
  { dialect, limits }: NatsServerOptions
): Effect.Effect<Answer, never, Scope.Scope> => {
  const failure = Effect.fail(error)
  return Effect.map(Router.make({ dialect, limits, fallback: () => failure }), ({ answer }) => answer)
}
