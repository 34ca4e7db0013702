/** The published laws of callers and servers, kept by our own. */
import { describe, it } from "@effect/vitest"
import * as Laws from "@parley/conformance/Laws"
import type { Law } from "@parley/conformance/Laws"
import * as Specimen from "@parley/conformance/Specimen"
import * as Dialect from "@parley/protocol/Dialect"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import * as Transport from "@parley/transport/Transport"
import { Deferred, Effect, Logger, Option } from "effect"
import * as Peer from "../src/Peer.ts"
import * as Router from "../src/Router.ts"
import * as Session from "../src/Session.ts"
import { routerOf } from "./wire.ts"

/** On the real clock: a law looks at it to give up. */
const keep = (laws: ReadonlyArray<Law>): void => {
  for (const law of laws) it.live(law.name, () => law.check)
}

/** What crashes on purpose is no news. */
const quietly = Effect.provide(Logger.layer([]))

const limits = { drain: 0 }

const serve = (dialect: Dialect.Dialect) =>
  Effect.gen(function*() {
    const [ours, theirs] = yield* MemoryTransport.makePair()
    yield* Peer.make(ours, { router: yield* routerOf(Specimen.handlers), dialect, limits })
    return theirs
  }).pipe(quietly)

/** A line in memory has no half: here the input ends, and the rest of the line does not. */
const serveHalfOpen = Effect.gen(function*() {
  const [ours, theirs] = yield* MemoryTransport.makePair()
  const ended = yield* Deferred.make<never, Transport.TransportError>()
  yield* Peer.make({ ...ours, receive: Effect.raceFirst(ours.receive, Deferred.await(ended)) }, {
    router: yield* routerOf(Specimen.handlers)
  })
  const end = Effect.andThen(Effect.yieldNow, Deferred.fail(ended, Transport.transportError({ _tag: "EndOfInput" })))
  return { transport: theirs, endInput: Effect.asVoid(end) }
}).pipe(quietly)

const silent = Dialect.make({ name: "silent", cancellation: Dialect.cancelledNotification([]), batches: "refuse" })

describe("a peer keeps the laws of servers", () => {
  keep(Laws.ofServer({
    name: "Peer",
    connect: serve(Dialect.jsonRpc),
    connectHalfOpen: serveHalfOpen
  }))
  keep(Laws.ofServer({
    name: "Peer, a dialect with silent cancellation and no batches",
    connect: serve(silent),
    dialect: silent,
    cases: []
  }, { runs: 5 }))
})

describe("a router keeps the laws of hosts that answer by themselves", () => {
  keep(Laws.ofHost({
    name: "Router",
    answer: (text) =>
      Router.make().pipe(
        Effect.tap((router) => router.addAll(Specimen.handlers)),
        Effect.flatMap((router) => router.answer(text)),
        Effect.map(Option.getOrUndefined),
        Effect.scoped,
        quietly
      )
  }))
})

describe("a session keeps the laws of hosts that answer by themselves", () => {
  keep(Laws.ofHost({
    name: "Session",
    answer: (text) =>
      routerOf(Specimen.handlers).pipe(
        Effect.flatMap((router) => Session.make({ router })),
        Effect.flatMap((session) => session.answer(text, { send: () => Effect.void })),
        Effect.map(Option.getOrUndefined),
        Effect.scoped,
        quietly
      )
  }))
})

describe("a peer keeps the laws of callers", () => {
  keep(Laws.ofCaller({ name: "Peer", call: (transport) => quietly(Peer.make(transport, { limits })) }))
  for (const dialect of [Dialect.lsp, Dialect.ethereum, silent]) {
    keep(Laws.ofCaller({
      name: `Peer, the dialect ${dialect.name}`,
      call: (transport) => quietly(Peer.make(transport, { dialect, limits })),
      dialect
    }, { runs: 5 }))
  }
})
