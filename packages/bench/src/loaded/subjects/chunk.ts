/** Requests that a memory transport brings as one chunk, into handlers that take 5 ms. */
import type { Handler } from "@parley/peer/Handler"
import * as Peer from "@parley/peer/Peer"
import * as Router from "@parley/peer/Router"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import * as Effect from "effect/Effect"
import { JSONRPCServer } from "json-rpc-2.0"
import type { Load, Open, Subjects } from "../Row.ts"
import { counter, pause, request, scoped } from "./wire.ts"

/** Milliseconds that a handler takes. */
const rest = 5

const resting: Handler = () => Effect.as(Effect.sleep(rest), null)

const textsOf = (count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, id) => request(id + 1, "rest"))

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
  // Where few are in flight, few calls would have shown the optimizer what is hot.
  const warmUp = turnOf(512)
  for (let turn = 0; turn < 20; turn++) await warmUp()
  return { turn: turnOf(count), close }
}

const parley: Open = async (count) => {
  const { come, wait } = counter()
  const [near, close] = await scoped(Effect.gen(function*() {
    const [near, far] = yield* MemoryTransport.makePair()
    const router = yield* Router.make()
    yield* router.add("rest", resting)
    yield* Peer.make(far, { router })
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
  server.addMethod("rest", () => pause(rest).then(() => null))
  return over(count, wait, one((text) => void server.receiveJSON(text).then(JSON.stringify).then(() => come())))
}

const floor: Open = (count) => {
  const { come, wait } = counter()
  const take = (text: string) => {
    const { id } = JSON.parse(text)
    setTimeout(() => {
      JSON.stringify({ jsonrpc: "2.0", result: null, id })
      come()
    }, rest)
  }
  return over(count, wait, one(take))
}

export const subjects: Subjects = { parley, "json-rpc-2.0": library, floor }
