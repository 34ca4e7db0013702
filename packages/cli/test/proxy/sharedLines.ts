/** Lines that clients share, whose other side is in memory. */
import * as Dialect from "@parley/protocol/Dialect"
import * as Limits from "@parley/protocol/Limits"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import type { Transport, TransportError } from "@parley/transport/Transport"
import { Effect, Queue } from "effect"
import * as SharedLine from "../../src/internal/proxy/SharedLine.ts"

/** A line whose other sides come one after the other, one per opening. */
export const make = (limits: Partial<Limits.Limits> = {}, dialect = Dialect.jsonRpc) =>
  Effect.gen(function*() {
    const sides = yield* Queue.unbounded<Transport>()
    const complaints: Array<string> = []
    const open = Effect.gen(function*() {
      const [near, far] = yield* MemoryTransport.makePair()
      yield* Queue.offer(sides, far)
      return near
    })
    const { post } = yield* SharedLine.make(open, {
      rules: { ...dialect, ...Limits.make(limits) },
      complain: (text) => Effect.sync(() => void complaints.push(text))
    })
    /** The texts that come back for a text. */
    const askText = (text: string) =>
      Effect.gen(function*() {
        const texts: Array<string> = []
        yield* post(text, (answer) => void texts.push(answer))
        return texts
      })
    /** The reply to a message. */
    const ask = (message: unknown) =>
      Effect.map(askText(JSON.stringify(message)), (texts) => texts.map((text): unknown => JSON.parse(text)))
    return { ask, askText, other: Queue.take(sides), complaints }
  })

/** The next messages, however they are cut. */
export const received = (
  side: Transport,
  count = 1
): Effect.Effect<ReadonlyArray<unknown>, TransportError> =>
  Effect.flatMap(side.receive, (texts) => {
    const messages = texts.map((text): unknown => JSON.parse(String(text)))
    return messages.length >= count
      ? Effect.succeed(messages)
      : Effect.map(received(side, count - messages.length), (rest) => [...messages, ...rest])
  })

export const send = (side: Transport, message: unknown) => Effect.orDie(side.send([JSON.stringify(message)]))
