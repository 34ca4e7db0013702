/** A specimen server over a line in memory, and what may be wrong with it. */
import * as Peer from "@parley/peer/Peer"
import * as Router from "@parley/peer/Router"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import { type Received, type Transport, type TransportError, transportError } from "@parley/transport/Transport"
import { Array, Deferred, Effect, Logger, type Scope } from "effect"
import * as Specimen from "../../src/Specimen.ts"

type Side = Transport

/** A crash on purpose is not logged. */
const quietly = Effect.provide(Logger.layer([]))

const routerOf = (handlers: Router.Handlers) =>
  Effect.tap(Router.make(), (router) => Effect.orDie(router.addAll({ ...Specimen.handlers, ...handlers })))

/** A new connection to a specimen server, some of whose methods may be others. */
export const connect = (
  { handlers = {}, ...options }: Peer.PeerOptions & { readonly handlers?: Router.Handlers } = {}
): Effect.Effect<Side, never, Scope.Scope> =>
  Effect.gen(function*() {
    const [ours, theirs] = yield* MemoryTransport.makePair()
    const router = yield* routerOf(handlers)
    yield* Peer.make(ours, { router, ...options, limits: { drain: 0, ...options.limits } })
    return theirs
  }).pipe(quietly)

/** A line in memory has no half: here the input ends, and the rest of the line does not. */
export const connectHalfOpen = (drain: number) =>
  Effect.gen(function*() {
    const [ours, theirs] = yield* MemoryTransport.makePair()
    const ended = yield* Deferred.make<never, TransportError>()
    const receive = Effect.raceFirst(ours.receive, Deferred.await(ended))
    yield* Peer.make({ ...ours, receive }, { router: yield* routerOf({}), limits: { drain } })
    const end = Deferred.fail(ended, transportError({ _tag: "EndOfInput" }))
    return { transport: theirs, endInput: Effect.asVoid(Effect.andThen(Effect.yieldNow, end)) }
  }).pipe(quietly)

/** The changes of an incorrect implementation to the texts. A change may keep state for its connection. */
export interface Change {
  readonly sent?: (text: string) => ReadonlyArray<string>
  readonly received?: (text: string) => ReadonlyArray<string>
}

/** A connection to a server that does something else to each text. */
export const changed = (
  change: () => Change,
  connection: Effect.Effect<Side, never, Scope.Scope> = connect()
): Effect.Effect<Side, never, Scope.Scope> =>
  Effect.map(connection, (inner) => {
    const { received = Array.of, sent = Array.of } = change()
    const receive: Side["receive"] = Effect.flatMap(inner.receive, (texts) => {
      const all: ReadonlyArray<Received> = texts.flatMap((text): ReadonlyArray<Received> =>
        typeof text === "string" ? received(text) : [text]
      )
      return Array.isReadonlyArrayNonEmpty(all) ? Effect.succeed(all) : receive
    })
    return {
      ...inner,
      receive,
      send: (texts) => {
        const all = texts.flatMap(sent)
        return Array.isReadonlyArrayNonEmpty(all) ? inner.send(all) : Effect.void
      }
    }
  })
