/**
 * Calls to a server with so many connections, by turns, while its budget is spent: something else holds all of it, and
 * each connection has its guarantee. The other sides do not read: a write of each connection waits, until the load says
 * that it is over. The connections are transports of the load, so that no descriptors are needed.
 */
import type { Handler } from "@parley/peer/Handler"
import * as Peer from "@parley/peer/Peer"
import * as Router from "@parley/peer/Router"
import { Budget } from "@parley/transport/shared"
import * as Effect from "effect/Effect"
import { JSONRPCServer } from "json-rpc-2.0"
import { floorServer } from "../../floor/floor.ts"
import type { Load, Open, Subjects } from "../Row.ts"
import { immediate, type Raw, raw, request, scoped } from "./wire.ts"

/** Calls of one turn of the event loop. */
const together = 64

const echo: Handler = ({ params }) => Effect.succeed(params ?? null)

interface Connection {
  readonly say: Raw["say"]
  /** Ends the write that waits, if one does. */
  readonly read: () => void
}

const connectionOf = (budget: Budget.Budget, router: Router.Router, state: { isOver: boolean }) =>
  Effect.gen(function*() {
    let read: (() => void) | undefined
    const waits = Effect.callback<void>((resume) => {
      read = () => resume(Effect.void)
    })
    const { say, transport } = raw(() => state.isOver ? undefined : waits)
    yield* Effect.provideService(Peer.make(transport, { router }), Budget.Budget, budget.share())
    return {
      say,
      read: () => {
        const done = read
        read = undefined
        done?.()
      }
    } satisfies Connection
  })

const parley: Open = async (count) => {
  const budget = Budget.make(256 * 1024 * 1024)
  const state = { isOver: false }
  const [connections, close] = await scoped(Effect.gen(function*() {
    const router = yield* Router.make()
    yield* router.add("echo", echo)
    const connections: Array<Connection> = []
    while (connections.length < count) connections.push(yield* connectionOf(budget, router, state))
    return connections
  }))
  // The first answer of each is under way, and is not read.
  for (const { say } of connections) say([request(1, "echo")])
  await immediate()
  budget.share().take(budget.limit)
  const turn = passing(connections, (connection, text) => {
    connection.say([text])
    connection.read()
  })
  // What a connection makes for its first calls does not count.
  return {
    warmUp: async () => void await turn(),
    turn,
    close: async () => {
      state.isOver = true
      for (const { read } of connections) read()
      await close()
    }
  }
}

const library: Open = async (count) => {
  const servers = Array.from({ length: count }, () => {
    const server = new JSONRPCServer()
    server.addMethod("echo", (params) => params)
    return server
  })
  return byTurns(servers, (server, text) => void server.receiveJSON(text).then(JSON.stringify))
}

const floor: Open = async (count) =>
  byTurns(Array.from({ length: count }, () => floorServer(() => {})), (server, text) => server(text))

const byTurns = <Server>(servers: ReadonlyArray<Server>, take: (server: Server, text: string) => void): Load => ({
  turn: passing(servers, take),
  close: () => {}
})

/** A turn has a call for each server, and some more where these are few. */
const passing = <Server>(servers: ReadonlyArray<Server>, take: (server: Server, text: string) => void) => async () => {
  const calls = Math.max(together, servers.length)
  for (let call = 0; call < calls; call++) {
    const server = servers[call % servers.length]
    if (server !== undefined) take(server, request(call + 2, "echo"))
    if (call % together === 0) await immediate()
  }
  await immediate()
  return calls
}

export const subjects: Subjects = { parley, "json-rpc-2.0": library, floor }
