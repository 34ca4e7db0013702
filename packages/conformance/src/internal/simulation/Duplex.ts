/**
 * Sides that are connected by a `Transport`: two peers, or a caller that connects again and the peers that it meets.
 */
import * as Peer from "@parley/peer/Peer"
import * as Reconnecting from "@parley/peer/Reconnecting"
import { Budget } from "@parley/transport/shared"
import { type Transport, transportError } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as Line from "./link/Line.ts"
import { limitsOf, type Side } from "./Scenario.ts"
import { type Setting, type Stage, timeout } from "./Work.ts"

/** Two peers over one line. @internal */
export const peers = (setting: Setting): Stage => {
  const { world } = setting
  const line = Line.make(lineOf(setting))
  const scopes = [Scope.makeUnsafe(), Scope.makeUnsafe()] as const
  const sides = [
    peerOf(setting, 0, line.transports[0], scopes[0]),
    peerOf(setting, 1, line.transports[1], scopes[1])
  ] as const
  return {
    callerOf: (side) => sides[side],
    lose: line.lose,
    gone: () => undefined,
    end: (side) => void world.fork(Scope.close(scopes[side], Exit.void)),
    unread: () => unreadOf(line),
    waits: () => sides.flatMap((peer, side) => waitsOf(setting, peer, side))
  }
}

/** A reconnecting caller, and a peer for each connection that it opens. @internal */
export const reconnecting = (setting: Setting): Stage => {
  const { budgets, history, lookups, scenario, world, wrapping } = setting
  const scope = Scope.makeUnsafe()
  const servers = new Set<Scope.Closeable>()
  /** The last of them is the one of the moment. Those before may still drain. */
  const lines: Array<Line.Line> = []
  let server: Peer.Peer | undefined
  let absent = 0

  const connect = Effect.suspend(() => {
    if (world.now < absent) {
      return Effect.fail(transportError({ _tag: "Open", cause: new Error("nobody listens") }))
    }
    const opened = Line.make(lineOf(setting))
    const scope = Scope.makeUnsafe()
    servers.add(scope)
    lines.push(opened)
    server = peerOf(setting, 1, opened.transports[1], scope)
    history.say("a connection is open")
    return wrapping === undefined ? Effect.succeed(opened.transports[0]) : wrapping(opened.transports[0])
  })

  const open = Effect.acquireRelease(
    Effect.andThen(Effect.sleep(scenario.links.delay), connect),
    (transport) => transport.close
  )

  const caller = now(world.fork(
    Scope.provide(
      Reconnecting.make({
        open,
        router: lookups[0],
        limits: limitsOf(scenario.bounds),
        timeout,
        schedule: Schedule.spaced(20)
      }),
      scope
    ).pipe(Effect.provideService(Budget.Budget, budgets[0]))
  ))

  return {
    callerOf: (side) => side === 0 ? caller : server,
    reconnecting: caller,
    lose: (milliseconds) => {
      absent = Math.max(absent, world.now + milliseconds)
      for (const line of lines) line.lose()
    },
    gone: () => undefined,
    end: (side, milliseconds = 0) => {
      absent = Math.max(absent, world.now + milliseconds)
      for (const ending of side === 0 ? [scope] : servers) world.fork(Scope.close(ending, Exit.void))
    },
    unread: () => lines.flatMap(unreadOf),
    waits: () => server === undefined ? [] : waitsOf(setting, server, 1)
  }
}

const lineOf = ({ history, readings, scenario: { links }, world }: Setting): Line.Options => ({
  world,
  links,
  readings,
  onText: history.onText
})

const peerOf = (setting: Setting, side: Side, transport: Transport, scope: Scope.Scope): Peer.Peer => {
  const { budgets, history, lookups, scenario, world, wrapping } = setting
  const router = lookups[side]
  const counting = Effect.provideService(Budget.Budget, budgets[side])
  const wrapped = wrapping === undefined ? transport : now(world.fork(counting(wrapping(transport))))
  const options = { router, limits: limitsOf(scenario.bounds), timeout }
  const made = Peer.make(wrapped, options)
  const peer = now(world.fork(counting(Scope.provide(made, scope))))
  world.fork(Effect.map(peer.disconnected, (reason) => {
    history.say(`${side} is disconnected: ${reason._tag}`)
    if (!history.isClosing && history.isHonest) history.find("ended", `side ${side} has ended with ${reason._tag}`)
  }))
  return peer
}

const waitsOf = ({ world }: Setting, peer: Peer.Peer, side: number): ReadonlyArray<string> =>
  Object.entries(now(world.fork(peer.waits))).flatMap(([what, wait]) =>
    wait === undefined ? [] : [`${what} at ${side} waits for ${wait}`]
  )

/** The value of an effect that must not wait. */
const now = <A>(fiber: Fiber.Fiber<A>): A => {
  const exit = fiber.pollUnsafe()
  if (exit === undefined || Exit.isFailure(exit)) throw new Error("a side could not be made in one turn")
  return exit.value
}

const unreadOf = ({ pipes }: Line.Line): ReadonlyArray<string> =>
  pipes.flatMap(({ unread: { accepted, waiting } }, side) =>
    accepted + waiting === 0 ? [] : [`${accepted} characters from ${side} are unread, ${waiting} wait to be written`]
  )
