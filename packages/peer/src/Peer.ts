/**
 * JSON-RPC 2.0 in both directions over one transport.
 *
 * ```
 *   open ──end of input, or asked to shut down──→ draining ──nothing left, or its time is over──→ closed
 *     └───────────────────────── any other end ─────────────────────────────────────────────────────↑
 * ```
 *
 * *Open* reads, runs and calls. *Draining* answers what was read (end of input)
 * or refuses what has not started (asked by our side), and lets what runs end.
 * *Closed* fails every call, waiting or later, and interrupts what runs. Any
 * other end interrupts at once, too, and drains only what is to be written.
 *
 * This file owns the states and joins the parts; `Correlator` owns the waiting
 * calls, the reader the loop, the interceptor what must not queue, the dispatcher
 * what came in, the outbox what goes out.
 *
 * @since 0.1.0
 */
import * as Batch from "@parley/protocol/Batch"
import * as Dialect from "@parley/protocol/Dialect"
import * as Limits from "@parley/protocol/Limits"
import * as Message from "@parley/protocol/Message"
import * as Budget from "@parley/transport/Budget"
import { Transport } from "@parley/transport/Transport"
import type { TransportError } from "@parley/transport/TransportError"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { Caller } from "./Caller.ts"
import type { DisconnectReason } from "./CallerError.ts"
import * as Correlator from "./Correlator.ts"
import * as CallTime from "./internal/CallTime.ts"
import * as Crowd from "./internal/Crowd.ts"
import * as Dispatcher from "./internal/Dispatcher.ts"
import * as Incoming from "./internal/Incoming.ts"
import * as Interceptor from "./internal/Interceptor.ts"
import * as Outbound from "./internal/Outbound.ts"
import * as Outbox from "./internal/Outbox.ts"
import * as Pauses from "./internal/Pauses.ts"
import * as Reader from "./internal/Reader.ts"
import * as Reply from "./internal/Reply.ts"
import * as Sweeper from "./internal/Sweeper.ts"
import { type Lookup, Router } from "./Router.ts"

/**
 * Where a peer stands.
 *
 * @category models
 * @since 0.1.0
 */
export type State = "open" | "draining" | "closed"

/**
 * What a peer may be given.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** What the other side may call. Without it, nothing. */
  readonly router?: Lookup | undefined
  /** How the other side uses JSON-RPC. `Dialect.jsonRpc` by default. */
  readonly dialect?: Dialect.Dialect | undefined
  /** Bounds that differ from `Limits.defaults`. */
  readonly limits?: Partial<Limits.Limits> | undefined
  /** How long a call waits that does not say so itself. 30 seconds by default; `Duration.infinity` switches it off. */
  readonly timeout?: Duration.Input | undefined
}

/**
 * Both directions over one transport: calls methods of the other side, and serves its calls.
 *
 * @category services
 * @since 0.1.0
 */
export class Peer extends Context.Service<
  Peer,
  Caller["Service"] & {
    /** Where the peer stands now. */
    readonly state: Effect.Effect<State>
    /** Whether calls can be made. */
    readonly connected: Effect.Effect<boolean>
    /** Waits until calls can no longer be made. */
    readonly disconnected: Effect.Effect<DisconnectReason>
    /** Waits until the peer is closed. */
    readonly closed: Effect.Effect<DisconnectReason>
    /**
     * Ends the connection in order and waits until it is closed: refuses requests that have not started, gives those
     * that run `Limits.drain` milliseconds, writes what waits to be written. Closing the Scope does the same.
     */
    readonly shutdown: Effect.Effect<void>
  }
>()("@parley/peer/Peer") {}

/**
 * A peer over this transport. It starts reading at once, and shuts down with the Scope.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (
  transport: Transport["Service"],
  options: Options = {}
): Effect.Effect<Peer["Service"], never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.contextWith((context: Context.Context<never>) => Effect.sync(() => start(transport, options, context))),
    (peer) => peer.shutdown
  )

/**
 * The peer of a program that has one connection. Serves the `Router` if there is one. A new layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options = {}): Layer.Layer<Peer | Caller, never, Transport> =>
  Layer.effectContext(Effect.gen(function*() {
    const router = options.router ?? Option.getOrUndefined(yield* Effect.serviceOption(Router))
    const peer = yield* make(yield* Transport, { ...options, router })
    return Context.make(Peer, peer).pipe(Context.add(Caller, peer))
  }))

const start = (
  transport: Transport["Service"],
  options: Options,
  context: Context.Context<never>
): Peer["Service"] => {
  const { dialect = Dialect.jsonRpc, router } = options
  const limits = Limits.make(options.limits)
  const fork = Effect.runForkWith(context)
  const log = Reply.logWith(context)
  const sweeper = Sweeper.make(context)
  const budget = Context.get(context, Budget.Budget)
  const decode = Reply.decoder(dialect, limits)
  const disconnected = Deferred.makeUnsafe<DisconnectReason>()
  const closed = Deferred.makeUnsafe<DisconnectReason>()
  let state: State = "open"
  let gone: DisconnectReason | undefined
  let badFrames = 0
  const pauses = Pauses.counting(() => reader?.wake())
  /** Nobody can hold up the end any more. */
  let overtime = false
  // Set last: reading may bring about the end before it is known here.
  let reader: Reader.Reader | undefined = undefined

  const outbox = Outbox.make({
    transport,
    fork,
    sweeper,
    capacity: limits.outbox,
    budget,
    writeStall: limits.writeStall,
    // Replies that piled up may have kept calls from starting.
    onProgress: () => dispatcher.drain(),
    onFailure: (cause) => close(reasonOf(cause)),
    onStall: () => close({ _tag: "WriteStalled" })
  })

  const correlator = Correlator.makeWith({
    sweeper,
    onTimeout: (call) => outbound.cancel(call),
    onDefect: (defect) => log("who waited for a response threw", Cause.die(defect))
  })

  const outbound = Outbound.make({
    correlator,
    outbox,
    dialect,
    limits,
    timeout: CallTime.fromOptions(options.timeout),
    gone: () => gone,
    isClosed: () => state === "closed",
    onCall: () => reader?.wake()
  })

  const dispatcher = Dispatcher.make({
    dialect,
    limits,
    sweeper,
    budget,
    fork,
    log,
    handlerOf: (method) => router?.handlerOf(method),
    isConcurrent: (method) => router?.isConcurrent(method) === true,
    callOf: (inbound) => callOf(inbound),
    reply: outbox.reply,
    isCongested: () => outbox.replies() >= limits.outbox,
    onResponse: (response) => settle(response),
    // Where a server's `undefined` was to be the result, JSON leaves the member out.
    onEmpty: ({ id, rule }) => correlator.refuse(new Message.InvalidResponse({ id, rule })),
    intercept: (notification) => interceptor.intercept(notification),
    onProgress: () => proceed()
  })

  const interceptor = Interceptor.make({ dialect, correlator, cancel: dispatcher.cancel, log })

  const caller: Caller["Service"] = {
    request: outbound.request,
    notify: (method, params) => outbound.notify(method, params),
    batch: outbound.batch,
    listen: interceptor.listen,
    pause: pauses.pause
  }

  const connection = Object.freeze({})
  const callOf = Incoming.make({ dialect, peer: caller, release: dispatcher.release, connection })

  const settle = (response: Message.Success | Message.Failure | Message.InvalidResponse) => {
    const known = response._tag === "InvalidResponse" ? correlator.refuse(response) : correlator.settle(response)
    if (!known) log(`dropped a response that no call waits for: id ${JSON.stringify(response.id)}`, Cause.empty)
  }

  // What a pause of ours holds back is as if not read, but for what came before the end of the input.
  const isDone = () =>
    dispatcher.isIdle() && outbox.isEmpty() && (reader?.isHolding() !== true || (isPaused() && gone === undefined))

  /** Something has moved: the loop may have room again, and the end may have come. */
  const proceed = () => {
    if (state === "draining" && isDone()) close(gone ?? { _tag: "Closed" })
    reader?.wake()
  }

  const take = (batch: Batch.Batch, size: number) => {
    dispatcher.take(batch, size)
    if (dispatcher.isOverrun()) return end({ _tag: "Overrun" })
    badFrames = isBad(batch) ? badFrames + 1 : 0
    if (badFrames >= limits.badFrames) end({ _tag: "BadFrames" })
  }

  /** Reading on would take more than there is room for: replies that nobody reads, or notifications. */
  const isCrowded = (batch: Batch.Batch) =>
    isPaused() || outbox.replies() >= 2 * limits.outbox ||
    (dispatcher.isFull() && correlator.size() === 0 && Crowd.waits(batch, dialect))

  /** A call that waits for nothing but its response would wait for ever. */
  const isPaused = () => pauses.isPaused() && !overtime && !isOver() && correlator.size() === correlator.streaming()

  /** What came before the end of the input is still handed on. */
  const isOver = () => state === "closed" || (gone !== undefined && gone._tag !== "EndOfInput")

  /** Nothing more is read, and our calls end. What came before end of input is still run, anything else is not. */
  const end = (reason: DisconnectReason) => {
    if (gone !== undefined) return
    gone = reason
    // Before the calls hear of it, so that who makes one again does not come here.
    Deferred.doneUnsafe(disconnected, Effect.succeed(reason))
    endCalls(reason)
    if (reason._tag !== "EndOfInput") dispatcher.interruptAll()
    drain()
  }

  /** Ends our calls, but not before they have what was read before the end of the input. */
  const endCalls = (reason: DisconnectReason) => {
    if (reason._tag === "EndOfInput" && reader?.isHolding() === true) return
    // What is in the outbox is still written.
    correlator.close(reason, ({ place }) => place !== Number.POSITIVE_INFINITY)
    interceptor.end(reason)
  }

  const drain = () => {
    if (state !== "open") return proceed()
    state = "draining"
    sweeper.set(drained, limits.drain)
    proceed()
  }

  const drained = Sweeper.alarm(() => {
    // What does not end by interruption, and what is not read by the other side, ends here.
    sweeper.set(overdue, grace)
    dispatcher.interruptAll()
    overtime = true
    reader?.wake()
  })

  const overdue = Sweeper.alarm(() => close(gone ?? { _tag: "Closed" }))

  const isSent = ({ place }: Correlator.Waiting) => outbox.isHandedOver(place)

  const close = (reason: DisconnectReason) => {
    if (state === "closed") return
    state = "closed"
    gone ??= reason
    Deferred.doneUnsafe(disconnected, Effect.succeed(gone))
    outbox.close()
    correlator.close(gone, isSent)
    interceptor.end(gone)
    dispatcher.interruptAll()
    sweeper.clear()
    release?.()
    reader?.stop()
    fork(Effect.ensuring(transport.close, Deferred.succeed(closed, gone)))
  }

  const release = budget?.onRoom(() => {
    outbox.admit()
    proceed()
  })
  reader = Reader.start({
    transport,
    fork,
    outbox,
    decode,
    take,
    onChunk: dispatcher.drain,
    isCrowded,
    isOver,
    onEnd: (cause) => {
      const reason = reasonOf(cause)
      end(reason)
      endCalls(gone ?? reason)
      proceed()
    }
  })

  return {
    ...caller,
    state: Effect.sync(() => state),
    connected: Effect.sync(() => gone === undefined),
    disconnected: Deferred.await(disconnected),
    closed: Deferred.await(closed),
    shutdown: Effect.suspend(() => {
      dispatcher.shutDown()
      drain()
      return Effect.asVoid(Deferred.await(closed))
    })
  }
}

/** Milliseconds between the interruption of what runs and the end. */
const grace = 1_000

const isBad = (batch: Batch.Batch): boolean =>
  !Batch.isMembers(batch) && Result.isFailure(batch) && batch.failure._tag === "ParseError"

const reasonOf = (cause: Cause.Cause<TransportError>): DisconnectReason =>
  cause.reasons.find(Cause.isFailReason)?.error.reason ?? { _tag: "Lost", cause: Cause.squash(cause) }
