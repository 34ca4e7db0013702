/** Batches of so many requests, one after the other, into handlers that return at once. */
import type { Handler } from "@parley/peer/Handler"
import * as Peer from "@parley/peer/Peer"
import * as Router from "@parley/peer/Router"
import * as Effect from "effect/Effect"
import { JSONRPCServer } from "json-rpc-2.0"
import type { Open, Subjects } from "../Row.ts"
import { counter, immediate, raw, request, scoped } from "./wire.ts"

const echo: Handler = ({ params }) => Effect.succeed(params ?? null)

/** Members of a turn, at least. */
const enough = 1_000

/** A turn brings batches, each when the one before is answered. */
const over = (count: number, { wait }: ReturnType<typeof counter>, take: (text: string) => void) => {
  const batch = `[${Array.from({ length: count }, (_, id) => request(id + 1, "echo")).join(",")}]`
  return async () => {
    let members = 0
    do {
      const answered = wait(1)
      take(batch)
      await answered
      members += count
    } while (members < enough)
    await immediate()
    return members
  }
}

const parley: Open = async (count) => {
  const answers = counter()
  const { say, transport } = raw(() => answers.come())
  const [, close] = await scoped(Effect.gen(function*() {
    const router = yield* Router.make()
    yield* router.add("echo", echo)
    yield* Peer.make(transport, { router })
  }))
  return { turn: over(count, answers, (text) => say([text])), close }
}

const library: Open = async (count) => {
  const answers = counter()
  const server = new JSONRPCServer()
  server.addMethod("echo", (params) => params)
  const turn = over(
    count,
    answers,
    (text) => void server.receiveJSON(text).then(JSON.stringify).then(() => answers.come())
  )
  return { turn, close: () => {} }
}

const floor: Open = async (count) => {
  const answers = counter()
  const turn = over(count, answers, (text) => {
    const members: ReadonlyArray<{ readonly id: unknown; readonly params: unknown }> = JSON.parse(text)
    JSON.stringify(members.map(({ id, params }) => ({ jsonrpc: "2.0", result: params, id })))
    queueMicrotask(() => answers.come())
  })
  return { turn, close: () => {} }
}

export const subjects: Subjects = { parley, "json-rpc-2.0": library, floor }
