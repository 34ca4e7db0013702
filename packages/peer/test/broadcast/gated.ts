/** Connections that take nothing for a while. */
import type { Transport } from "@parley/transport/Transport"
import { Deferred, Effect } from "effect"
import { type Broadcast, Peer } from "../../src/index.ts"
import { settle } from "../wire.ts"

/** A transport that takes texts while its gate is open, and keeps what it took. */
export const gated = () => {
  const taken: Array<string> = []
  let open = Deferred.makeUnsafe<void>()
  let aborted = false
  const transport: Transport = {
    receive: Effect.never,
    send: (texts) => Effect.andThen(Deferred.await(open), Effect.sync(() => void taken.push(...texts))),
    close: Effect.void,
    abort: Effect.sync(() => {
      aborted = true
    })
  }
  return {
    transport,
    /** The first of the params of each text that was taken. */
    numbers: () => taken.map((text): number => JSON.parse(text).params[0]),
    open: Effect.suspend(() => Effect.asVoid(Deferred.succeed(open, undefined))),
    shut: Effect.sync(() => {
      if (Deferred.isDoneUnsafe(open)) open = Deferred.makeUnsafe()
    }),
    isAborted: () => aborted
  }
}

export const quick = { limits: { drain: 0 } }

/** So many characters that a broadcast leaves no more in the outbox of a connection that does not take them. */
export const ahead = "x".repeat(65_536)

/** A connection that takes nothing more, and whose outbox has as much as a broadcast puts there. */
export const blocked = (broadcast: Broadcast.Broadcast<string>, name: string) =>
  Effect.gen(function*() {
    const wire = gated()
    const peer = yield* Peer.make(wire.transport, quick)
    const recipient = yield* broadcast.join(peer, name)
    yield* recipient.notify("n", [-1, ahead])
    yield* settle
    // At the end of a test the clock stands still, so that nothing may wait for it.
    yield* Effect.addFinalizer(() => wire.open)
    return { ...wire, peer, recipient }
  })
