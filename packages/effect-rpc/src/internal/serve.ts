/**
 * The handlers of a group as the handlers of its contract.
 */
import { type Call, withoutCall } from "@parley/peer/Handler"
import { RequestId as RequestIds } from "@parley/protocol/shared"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Headers from "effect/http/Headers"
import * as Queue from "effect/Queue"
import * as Rpc from "effect/rpc/Rpc"
import * as RpcMessage from "effect/rpc/RpcMessage"
import type * as RpcMiddleware from "effect/rpc/RpcMiddleware"
import * as RpcSchema from "effect/rpc/RpcSchema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { codecOf } from "./members.ts"
import * as Payload from "./payload.ts"

/** @internal */
export type HeadersOf = (call: Call) => Headers.Input

/** A handler of which only its Rpc knows the types. @internal */
export type AnyHandler = (payload: unknown, call: Call) => Effect.Effect<unknown, unknown, Scope.Scope>

/** Takes what a handler of a group gives out of its wrapper. */
type Given = ReturnType<Rpc.Handler<string>["handler"]>

/** @internal */
export const make = (
  rpcs: ReadonlyArray<Rpc.AnyWithProps>,
  context: Context.Context<never>,
  headersOf: HeadersOf | undefined
): { readonly [tag: string]: AnyHandler } => {
  const clientOf = clients()
  return Object.fromEntries(rpcs.map((rpc) => {
    const run = runner(rpc, context, (payload, call) => ({
      rpc,
      client: clientOf(call.connection),
      requestId: requestIdOf(call),
      headers: headersOf === undefined ? Headers.empty : Headers.fromInput(headersOf(call)),
      payload
    }))
    return [rpc._tag, RpcSchema.isStreamSchema(rpc.successSchema) ? streaming(run) : calling(run)]
  }))
}

/** What a handler and its middleware are told of a request. */
type About = Parameters<Rpc.Handler<string>["handler"]>[1] & {
  readonly rpc: Rpc.AnyWithProps
  readonly payload: unknown
}

/** Runs a handler within its middleware, and passes its result to `use`. */
type Run = <A>(payload: unknown, call: Call, use: (given: Given) => Effect.Effect<A, unknown>) => Effect.Effect<
  A,
  unknown
>

const runner = (
  rpc: Rpc.AnyWithProps,
  context: Context.Context<never>,
  aboutOf: (payload: unknown, call: Call) => About
): Run => {
  const entry = Context.getOrUndefined(context, Context.Service<never, Rpc.Handler<string>>(rpc.key))
  if (entry === undefined) throw new TypeError(`the group has an Rpc ${rpc._tag}, and no handler of it was provided`)
  const built = withoutCall(entry.context)
  const middlewares = Array.from(rpc.middlewares, (service) => Context.getUnsafe(context, service))
  const streams = RpcSchema.isStreamSchema(rpc.successSchema)
  const schema = codecOf(rpc.payloadSchema)
  const toPayload = Payload.isKeyed(schema) ? (payload: unknown) => rpc.payloadSchema.make(payload) : undefined
  return (decoded, call, use) =>
    Effect.suspend(() => {
      const payload = toPayload === undefined ? decoded : toPayload(decoded)
      const about = aboutOf(payload, call)
      const handled = Effect.suspend(() => {
        const given = entry.handler(payload, about)
        if (!Rpc.isWrapper(given)) return use(given)
        // An uninterruptible stream would offer items for ever to a caller that has left.
        return given.uninterruptible && !streams ? Effect.uninterruptible(use(given.value)) : use(given.value)
      })
      const within = middlewares.reduce((effect, middleware) => around(middleware, effect, about), handled)
      // As in `RpcServer`, services of the request override those that the handlers were built with.
      return Effect.updateContext(Effect.scoped(within), (services: Context.Context<never>) =>
        Context.merge(built, services))
    })
}

const around = <A>(
  middleware: RpcMiddleware.Any,
  effect: Effect.Effect<A, unknown>,
  about: About
): Effect.Effect<A, unknown> =>
  // A middleware gives what the effect gives: it does not know its type.
  middleware(effect as Effect.Effect<never>, about) as Effect.Effect<A, unknown>

const calling = (run: Run): AnyHandler => (payload, call) =>
  Effect.flatMap(
    // The handler of an Rpc that does not stream gives an Effect.
    run(payload, call, (given) => given as Effect.Effect<unknown, unknown>),
    (value) => Deferred.isDeferred(value) ? Deferred.await(value) : Effect.succeed(value)
  )

/**
 * Middleware wraps an Effect, so a stream runs within one, and a queue brings its items out. A failure before the
 * handler has given its stream refuses the call.
 */
const streaming = (run: Run): AnyHandler => (payload, call) =>
  Effect.gen(function*() {
    // As many as a client of `effect/rpc` keeps.
    const queue = yield* Effect.acquireRelease(Queue.bounded<unknown, unknown>(16), Queue.shutdown)
    const opened = Deferred.makeUnsafe<void, unknown>()
    const feed = run(payload, call, (given) =>
      Effect.flatMap(itemsOf(given), (items) => {
        Deferred.doneUnsafe(opened, Exit.void)
        return Stream.runForEachArray(items, (values) => Queue.offerAll(queue, values))
      }))
    const ended = Effect.onExit(feed, (exit) => {
      Deferred.doneUnsafe(opened, Exit.asVoid(exit))
      return Exit.isSuccess(exit) ? Queue.fail(queue, Cause.Done()) : Queue.failCause(queue, exit.cause)
    })
    yield* Effect.forkScoped(ended, { startImmediately: true })
    yield* Deferred.await(opened)
    return Stream.fromQueue(queue)
  })

/** The handler of an Rpc that streams gives a stream, or opens a queue. */
const itemsOf = (given: Given): Effect.Effect<Stream.Stream<unknown, unknown>, unknown> =>
  Stream.isStream(given)
    ? Effect.succeed(given)
    // By the line above.
    : Effect.map(given as Effect.Effect<Queue.Dequeue<unknown, unknown>, unknown>, Stream.fromQueue)

/** One client per connection; a call without a connection has a client of its own. */
const clients = () => {
  const known = new WeakMap<object, Rpc.ServerClient>()
  let last = 0
  return (connection: object | undefined): Rpc.ServerClient => {
    const client = connection === undefined ? undefined : known.get(connection)
    if (client !== undefined) return client
    const made = new Rpc.ServerClient(++last)
    if (connection !== undefined) known.set(connection, made)
    return made
  }
}

const requestIdOf = ({ id }: Call): RpcMessage.RequestId => {
  if (id === undefined) return RpcMessage.RequestId("")
  return RpcMessage.RequestId(typeof id === "number" || typeof id === "string" ? id : RequestIds.toText(id))
}
