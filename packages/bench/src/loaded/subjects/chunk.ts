/**
 * Requests that a memory transport brings as one chunk, where one call runs and one waits at a time: each text has to
 * wait for room.
 */
import type { Handler } from "@parley/peer/Handler"
import * as Peer from "@parley/peer/Peer"
import * as Router from "@parley/peer/Router"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import * as Effect from "effect/Effect"
import { JSONRPCServer } from "json-rpc-2.0"
import type { Load, Open, Subjects } from "../Row.ts"
import { counter, immediate, request, scoped } from "./wire.ts"

const yielding: Handler = () => Effect.as(Effect.yieldNow, null)

const limits = { inFlight: 1, inbox: 1, batch: 1 }

const textsOf = (count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, id) => request(id + 1, "yield"))

/** A turn brings a chunk, and waits until all are answered. */
const over = async (
  count: number,
  wait: (count: number) => Promise<void>,
  take: (texts: ReadonlyArray<string>) => void,
  close: Load["close"] = () => {}
): Promise<Load> => {
  const turnOf = (count: number) => {
    const texts = textsOf(count)
    return async () => {
      const answered = wait(count)
      take(texts)
      await answered
      return count
    }
  }
  return {
    warmUp: async () => {
      const turn = turnOf(512)
      for (let turns = 0; turns < 20; turns++) await turn()
    },
    turn: turnOf(count),
    close
  }
}

const parley: Open = async (count) => {
  const { come, wait } = counter()
  const [near, close] = await scoped(Effect.gen(function*() {
    const [near, far] = yield* MemoryTransport.makePair()
    const router = yield* Router.make()
    yield* router.add("yield", yielding)
    yield* Peer.make(far, { router, limits })
    const answers = Effect.map(near.receive, (texts) => come(texts.length))
    yield* Effect.forkScoped(Effect.forever(Effect.ignore(answers)))
    return near
  }))
  return over(count, wait, ([first = "", ...others]) => void Effect.runFork(near.send([first, ...others])), close)
}

const one = (take: (text: string) => void) => (texts: ReadonlyArray<string>): void => texts.forEach(take)

const library: Open = (count) => {
  const { come, wait } = counter()
  const server = new JSONRPCServer()
  server.addMethod("yield", () => immediate().then(() => null))
  return over(count, wait, one((text) => void server.receiveJSON(text).then(JSON.stringify).then(() => come())))
}

const floor: Open = (count) => {
  const { come, wait } = counter()
  const take = (text: string) => {
    const { id } = JSON.parse(text)
    setImmediate(() => {
      JSON.stringify({ jsonrpc: "2.0", result: null, id })
      come()
    })
  }
  return over(count, wait, one(take))
}

export const subjects: Subjects = { parley, "json-rpc-2.0": library, floor }
