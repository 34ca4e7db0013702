/** Two links over wires in memory, which may lose packets. */
import * as Framing from "@parley/protocol/Framing"
import * as FramedTransport from "@parley/transport/FramedTransport"
import type { Transport } from "@parley/transport/Transport"
import { Clock, Effect, type Scope } from "effect"
import { window } from "../../src/internal/conversation/Inbox.ts"
import { Link } from "../../src/internal/conversation/Link.ts"
import * as Packet from "../../src/internal/conversation/Packet.ts"

/** A wire and its link. */
export interface End {
  readonly link: Link
  readonly transport: Transport
  /** Whether packets of this end travel. Where it is down, it knows that. */
  isUp: boolean
  /** Whether packets of this end are lost, and nobody knows. */
  isLossy: boolean
  /** Whether it listens. */
  isThere: boolean
  /** Milliseconds for which its process stood still. */
  paused: number
  /** The packets that it has sent. */
  readonly sent: Array<Packet.Packet>
}

export const patience = { interval: 1_000, timeout: 2_000 }

/** Packets travel in later turns, in order. */
export const ends: Effect.Effect<readonly [End, End], never, Scope.Scope> = Effect.gen(function*() {
  const hello = { version: 1, window, beat: patience.interval } as const
  const make = Effect.fnUntraced(function*(other: () => End) {
    const sent: Array<Packet.Packet> = []
    const real = yield* Clock.Clock
    const clock: Clock.Clock = {
      ...real,
      monotonicTimeNanosUnsafe: () => real.monotonicTimeNanosUnsafe() + BigInt(end.paused) * 1_000_000n
    }
    const link = new Link({
      hello,
      patience,
      budget: undefined,
      clock,
      wire: {
        largest: () => 1024 * 1024,
        isUp: () => end.isUp,
        release: () => {
          end.isThere = false
        },
        publish: (packet, isBeat) => {
          const decoded = Packet.decode(packet)
          if (decoded !== undefined) sent.push(decoded)
          if (end.isLossy) return
          setImmediate(() => {
            const there = other()
            if (there.isThere) there.link.take(packet)
            else if (end.isThere && isBeat) link.miss("nobody listens")
            else if (end.isThere) link.lose("nobody listens")
          })
        }
      }
    })
    const transport = yield* FramedTransport.fromBytes(link.bytes, { framing: Framing.contentLength })
    const end: End = { link, transport, sent, isUp: true, isLossy: false, isThere: true, paused: 0 }
    yield* Effect.forkScoped(link.beating, { startImmediately: true })
    return end
  })
  const left: End = yield* make(() => right)
  const right: End = yield* make(() => left)
  return [left, right]
})
