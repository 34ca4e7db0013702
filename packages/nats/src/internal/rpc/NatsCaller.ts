/**
 * Calls over a subject of NATS: each call, notification and batch is a message of its own, which any process that
 * serves the subject may answer.
 *
 * Where nobody serves the subject, a call fails at once with `Disconnected`, and `sent` is false. A call that is
 * interrupted or out of time is given up on this side alone: it may run to its end at the service, whose answer is
 * dropped. For callbacks, progress and cancellation use a conversation: `NatsTransport`.
 *
 * ```ts
 * import { Contract, Method } from "@parley/contract"
 * import { NatsClient, NatsRpc } from "@parley/nats"
 * import { Effect, Layer, Schema } from "effect"
 *
 * const Bank = Contract.make("Bank", {
 *   balance: Method.make({ params: { account: Schema.String }, result: Schema.Finite })
 * })
 *
 * const caller = Layer.provide(NatsRpc.layerClient({ subject: "bank" }), NatsClient.layer({ servers: "127.0.0.1:4222" }))
 *
 * export const balance = Effect.flatMap(Bank.Client, (bank) => bank.balance({ account: "alice" })).pipe(
 *   Effect.provide(Layer.provide(Bank.layerClient(), caller))
 * )
 * ```
 *
 * @since 0.1.0
 */
import { Caller } from "@parley/peer/Caller"
import { Exchange } from "@parley/peer/shared"
import * as Limits from "@parley/protocol/Limits"
import type * as Transport from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { NatsClient } from "../../NatsClient.ts"
import * as NatsExchange from "./NatsExchange.ts"

/**
 * The subject of the service, and the options of its calls.
 *
 * @category models
 * @since 0.1.0
 */
export interface NatsClientOptions extends NatsExchange.NatsExchangeOptions, Omit<Exchange.CallerOptions, "router"> {}

/**
 * Calls until the Scope closes. A call whose text is larger than the server of NATS takes (`max_payload`, 1 MiB by default)
 * fails with `InvalidArguments`, and nothing is sent.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeClient: (
  options: NatsClientOptions
) => Effect.Effect<Caller, Transport.TransportError, NatsClient | Scope.Scope> = Effect.fnUntraced(
  function*(options) {
    const client = yield* NatsClient
    const exchange = yield* NatsExchange.makeExchange(options)
    const { frame } = Limits.make(options.limits)
    const limits = { ...options.limits, frame: Math.min(frame, client.server().maxPayload) }
    return yield* Exchange.makeCaller(exchange, { ...options, limits })
  }
)

/**
 * The caller of a program that calls one service. A new Layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerClient = (options: NatsClientOptions): Layer.Layer<Caller, Transport.TransportError, NatsClient> =>
  Layer.effect(Caller, makeClient(options))
