/** A bank, its customer, and a foreign peer, each over a line of its own in the memory of the page. */
import type * as Contract from "@parley/contract/Contract"
import type { Caller } from "@parley/peer/Caller"
import * as Peer from "@parley/peer/Peer"
import * as Reconnecting from "@parley/peer/Reconnecting"
import * as Router from "@parley/peer/Router"
import * as Tap from "@parley/traffic/Tap"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import type { Transport, TransportError } from "@parley/transport/Transport"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { Bank, Customer } from "./Bank.ts"
import * as BankServer from "./BankServer.ts"
import * as Line from "./Line.ts"
import type { Seen, Side } from "./Traffic.ts"

export interface Options {
  /** Asked at each text that passes. */
  readonly faults: () => Line.Faults
  /** Takes what the taps of all sides see. */
  readonly see: (seen: Seen) => void
  /** Whether the customer agrees, when the bank asks back. */
  readonly confirm: (amount: number) => Effect.Effect<boolean>
}

export interface Workbench {
  /** The typed client of the customer. */
  readonly bank: Contract.Client<Contract.MembersOf<typeof Bank>>
  /** The caller below it, which knows no types. */
  readonly caller: Caller
  /** Loses all connections. The customer connects again. */
  readonly cut: Effect.Effect<void>
  /** Sends a text to the bank as it stands, by a peer that is not ours. */
  readonly sendForeign: (text: string) => Effect.Effect<void, TransportError>
}

export const make = ({ confirm, faults, see }: Options): Effect.Effect<
  Workbench,
  Router.MethodTaken,
  Scope.Scope
> =>
  Effect.gen(function*() {
    const served = Context.get(yield* Layer.build(Router.layer(BankServer.layer)), Router.Router)
    const customer = Context.get(
      yield* Layer.build(Router.layer(Customer.toLayer({ confirm: ({ amount }) => confirm(amount) }))),
      Router.Router
    )
    const lines = new Set<Line.Line>()
    let connections = 0

    const open = (side: Side) =>
      Effect.gen(function*() {
        const connection = ++connections
        const tapped = (side: Side, other: Side) =>
          Tap.make((frame) => Effect.sync(() => see({ connection, side, other, frame })))
        const [near, far] = yield* MemoryTransport.makePair(narrow)
        const transport = yield* tapped("server", side)(far)
        yield* Peer.make(transport, { router: served, limits: { ...limits, outbox: narrow.capacity } })
        const line = yield* Effect.acquireRelease(
          Effect.tap(Line.make(near, faults), (line) => Effect.sync(() => lines.add(line))),
          (line) => Effect.sync(() => lines.delete(line))
        )
        return yield* tapped(side, "server")(line.transport)
      })

    const caller = yield* Reconnecting.make({ open: open("client"), router: customer, limits, timeout: "5 seconds" })
    const scope = yield* Effect.scope
    let foreign: Transport | undefined

    const openForeign = Effect.gen(function*() {
      const transport = yield* open("foreign")
      const reading = Effect.ensuring(
        Effect.ignore(Effect.forever(transport.receive)),
        Effect.sync(() => foreign = undefined)
      )
      yield* Effect.forkIn(reading, scope)
      return foreign = transport
    })

    return {
      bank: Bank.client(caller),
      caller,
      cut: Effect.suspend(() => Effect.forEach([...lines], ({ cut }) => cut, { discard: true })),
      sendForeign: (text) =>
        Effect.flatMap(
          Effect.suspend(() => foreign === undefined ? Scope.provide(openForeign, scope) : Effect.succeed(foreign)),
          (transport) => transport.send([text])
        )
    }
  })

/** When a line is cut, its running calls end at once, so that the customer can connect again. */
const limits = { drain: 0 }

/** Little memory on the way, so that a narrow line soon makes its sender wait. */
const narrow = { capacity: 256 }
