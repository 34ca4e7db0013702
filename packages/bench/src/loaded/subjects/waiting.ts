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

const over = (count: number, { come: _, wait }: ReturnType<typeof counter>, { call, say, written }: Client) => {
  const stride = strideOf(count)
  const order = shuffled(count)
  let waiting: ReadonlyArray<number> = []
  const prepare = async () => {
    const kept: Array<number> = []
    while (kept.length < count) {
      for (let made = 0; made < stride; made++) call()
      await immediate()
      const [first = 0, ...others] = written()
      kept.push(first)
      const ended = wait(others.length)
      say(others.map(answer))
      await ended
    }
    waiting = kept
  }
  const turn = async () => {
    const ended = wait(count)
    for (let at = 0; at < count; at += together) {
      say(order.slice(at, at + together).map((place) => answer(waiting[place] ?? 0)))
      await immediate()
    }
    await ended
    return count
  }
  return { prepare, turn }
}

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
  const { take, written } = idsOf()
  const { say, transport } = raw((texts) => texts.forEach(take))
  // All of them are written, however few the other side takes by its defaults.
  const limits = { window: 100_000, windowBytes: 1e9 }
  const [peer, close] = await scoped(Peer.make(transport, { limits }))
  const request = Effect.flatMap(peer.request("echo", small), () => Effect.sync(() => ends.come()))
  return { ...over(count, ends, { call: () => void Effect.runFork(request), written, say }), close }
}

const library: Open = async (count) => {
  const ends = counter()
  const { take, written } = idsOf()
  const client = new JSONRPCClient((request) => {
    take(JSON.stringify(request))
    return Promise.resolve()
  })
  const call = () => void client.request("echo", small).then(() => ends.come())
  const say = (texts: ReadonlyArray<string>) => texts.forEach((text) => client.receive(JSON.parse(text)))
  return { ...over(count, ends, { call, written, say }), close: () => {} }
}

const floor: Open = async (count) => {
  const ends = counter()
  const { take, written } = idsOf()
  const client = floorClient(take)
  const call = () => void client.call(small).then(() => ends.come())
  return { ...over(count, ends, { call, written, say: (texts) => texts.forEach(client.recv) }), close: () => {} }
}

export const subjects: Subjects = { parley, "json-rpc-2.0": library, floor }
