/** Callers and calls in the hands of a test. */
import { Caller, type Handler, Peer, type Router } from "@parley/peer"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import { Effect, Exit, type Result, Schema, Scope } from "effect"
import { routerOf } from "../../peer/test/wire.ts"

export type Service = Caller.Caller

/** A caller of which a test says only what it needs. */
export const callerOf = (parts: Partial<Omit<Service, "pipe">>): Service =>
  Caller.make({
    request: () => Effect.never,
    notify: () => Effect.never,
    batch: () => Effect.never,
    listen: () => Effect.never,
    pause: () => () => {},
    ...parts
  })

/** A caller whose requests end like this, one after the other, and which counts them. */
export const scripted = (
  ...endings: ReadonlyArray<Exit.Exit<Schema.Json, Caller.CallError>>
): { readonly caller: Service; readonly tries: () => number } => {
  let tries = 0
  return {
    caller: callerOf({
      request: () => Effect.suspend(() => endings[tries++] ?? Exit.die("no more tries were expected"))
    }),
    tries: () => tries
  }
}

export type BatchExit = Exit.Exit<
  ReadonlyArray<Result.Result<Schema.Json, Caller.CallError> | undefined>,
  Caller.NotifyError
>

/** The same for batches. */
export const scriptedBatch = (
  ...endings: ReadonlyArray<BatchExit>
): { readonly caller: Service; readonly tries: () => number } => {
  let tries = 0
  return {
    caller: callerOf({
      batch: () => Effect.suspend(() => endings[tries++] ?? Exit.die("no more tries were expected"))
    }),
    tries: () => tries
  }
}

/** A call that nobody made. */
export const callOf = (parts: Partial<Handler.Call> = {}): Handler.Call => ({
  id: 1,
  method: "m",
  params: undefined,
  extra: undefined,
  peer: callerOf({}),
  progress: () => Effect.void,
  partialResult: undefined,
  connection: undefined,
  afterReply: () => {},
  onClose: () => () => {},
  ...parts
})

export interface Lines {
  /** Calls over the connection that is there. */
  readonly caller: Service
  /** Loses the connection: the next call finds it gone. */
  readonly lose: Effect.Effect<void>
  /** Connects again. */
  readonly connect: Effect.Effect<void>
}

/** Calls over one connection after the other, all to peers that serve these handlers. */
export const lines = (handlers: Router.Handlers): Effect.Effect<Lines, never, Scope.Scope> =>
  Effect.gen(function*() {
    const router = yield* routerOf(handlers)
    const all = yield* Scope.Scope
    let line = yield* Scope.fork(all)
    let peer: Service = callerOf({})
    const connect = Effect.gen(function*() {
      line = yield* Scope.fork(all)
      const [near, far] = yield* Scope.provide(MemoryTransport.makePair(), line)
      const limits = { drain: 0 }
      yield* Scope.provide(Peer.make(far, { router, limits }), line)
      peer = yield* Scope.provide(Peer.make(near, { limits }), line)
      // Without waiting for anything: what the line does at its end is what is tested.
      lost = near.close
    })
    let lost: Effect.Effect<void> = Effect.void
    yield* connect
    return {
      caller: callerOf({
        request: (method, params, options) => Effect.suspend(() => peer.request(method, params, options)),
        batch: (members, options) => Effect.suspend(() => peer.batch(members, options))
      }),
      lose: Effect.suspend(() => lost),
      connect
    }
  })
