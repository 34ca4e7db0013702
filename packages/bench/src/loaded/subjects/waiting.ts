/**
 * Calls of ours that wait for their responses while others begin and end: of each so many calls, all but one are
 * answered at once, so that the ids of those that wait are in strides. At the end the others are answered out of order.
 */
import * as Peer from "@parley/peer/Peer"
import * as Effect from "effect/Effect"
import { JSONRPCClient } from "json-rpc-2.0"
import { floorClient } from "../../floor/floor.ts"
import { small } from "../../Subject.ts"
import type { Open, Subjects } from "../Row.ts"
import { counter, immediate, raw, scoped } from "./wire.ts"

/**
 * By how much the ids of calls that wait differ: by a power of two, which a table of as many places would feel most, as
 * long as that makes not too many calls before a turn.
 */
const strideOf = (count: number): number => {
  const most = Math.min(count, 40_000 / count)
  return most < 4 ? 2 : 2 ** Math.floor(Math.log2(most))
}

/** Responses of one chunk of the wire. */
const together = 64

/**
 * Responses of one turn at least: as many clients answer together as that takes. What comes once for each turn, after a
 * collection of garbage that leaves nothing in the caches of the processor, would be counted for 64 responses otherwise.
 */
const enough = 1_024

const answer = (id: number): string => JSON.stringify({ jsonrpc: "2.0", id, result: true })

interface Client {
  /** Makes a call, which says when it has ended. */
  readonly call: () => void
  /** The ids of the calls that were made since it was asked last. */
  readonly written: () => ReadonlyArray<number>
  readonly say: (texts: ReadonlyArray<string>) => void
}

/** Numbers below so many in an order in which neighbours are far from each other. */
const shuffled = (count: number): ReadonlyArray<number> => {
  // A prime that divides no count here.
  const step = 7_919
  return Array.from({ length: count }, (_, at) => (at * step) % count)
}

/** Calls of several clients, of which so many wait in each. */
const over = (count: number, ends: ReturnType<typeof counter>, clients: ReadonlyArray<Client>) => {
  const stride = strideOf(count)
  const order = shuffled(count)
  let waiting: ReadonlyArray<ReadonlyArray<number>> = []
  /** Makes calls until so many wait. Returns their ids. */
  const fill = async ({ call, say, written }: Client) => {
    const kept: Array<number> = []
    while (kept.length < count) {
      for (let made = 0; made < stride; made++) call()
      await immediate()
      const [first = 0, ...others] = written()
      kept.push(first)
      const ended = ends.wait(others.length)
      say(others.map(answer))
      await ended
    }
    return kept
  }
  return {
    total: count * clients.length,
    prepare: async () => {
      const filled: Array<ReadonlyArray<number>> = []
      for (const client of clients) filled.push(await fill(client))
      waiting = filled
    },
    turn: async () => {
      const ended = ends.wait(count * clients.length)
      for (let at = 0; at < count; at += together) {
        for (const [index, { say }] of clients.entries()) {
          say(order.slice(at, at + together).map((place) => answer(waiting[index]?.[place] ?? 0)))
        }
        await immediate()
      }
      await ended
      return count * clients.length
    }
  }
}

/** So many clients that a turn has enough responses. */
const clientsOf = <A>(count: number, make: () => A): ReadonlyArray<A> =>
  Array.from({ length: Math.ceil(enough / count) }, make)

/** The ids of requests, as they are written. */
const idsOf = () => {
  let ids: Array<number> = []
  return {
    take: (text: string): void => void ids.push(JSON.parse(text).id),
    written: (): ReadonlyArray<number> => {
      const all = ids
      ids = []
      return all
    }
  }
}

const parley: Open = async (count) => {
  const ends = counter()
  // All of them are written, however few the other side takes by its defaults.
  const limits = { window: 100_000, windowBytes: 1e9 }
  const client = Effect.gen(function*() {
    const { take, written } = idsOf()
    const { say, transport } = raw((texts) => texts.forEach(take))
    const peer = yield* Peer.make(transport, { limits })
    const request = Effect.flatMap(peer.request("echo", small), () => Effect.sync(() => ends.come()))
    return { call: () => void Effect.runFork(request), written, say }
  })
  const [clients, close] = await scoped(Effect.all(clientsOf(count, () => client)))
  return { ...over(count, ends, clients), close }
}

const library: Open = async (count) => {
  const ends = counter()
  const clients = clientsOf(count, () => {
    const { take, written } = idsOf()
    const client = new JSONRPCClient((request) => {
      take(JSON.stringify(request))
      return Promise.resolve()
    })
    const call = () => void client.request("echo", small).then(() => ends.come())
    return {
      call,
      written,
      say: (texts: ReadonlyArray<string>) => texts.forEach((text) => client.receive(JSON.parse(text)))
    }
  })
  return { ...over(count, ends, clients), close: () => {} }
}

const floor: Open = async (count) => {
  const ends = counter()
  const clients = clientsOf(count, () => {
    const { take, written } = idsOf()
    const client = floorClient(take)
    const call = () => void client.call(small).then(() => ends.come())
    return { call, written, say: (texts: ReadonlyArray<string>) => texts.forEach(client.recv) }
  })
  return { ...over(count, ends, clients), close: () => {} }
}

export const subjects: Subjects = { parley, "json-rpc-2.0": library, floor }
