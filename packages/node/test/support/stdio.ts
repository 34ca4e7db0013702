/** Standard input and output as streams that a test makes and ends. */
import * as NodeStdio from "@parley/node/NodeStdio"
import { Framing } from "@parley/protocol"
import * as FramedTransport from "@parley/transport/FramedTransport"
import type { Transport } from "@parley/transport/Transport"
import { Effect } from "effect"
import { PassThrough } from "node:stream"
import { Source, Target } from "../../src/internal/streams.ts"

type Side = Transport

let left = 0

/** How many listeners transports have left on such streams. */
export const listenersLeft = (): number => left

const listenersOf = (stream: PassThrough) =>
  stream.eventNames().reduce((sum, name) => sum + stream.listenerCount(name), 0)

/** What a stream has to begin with. */
const own = listenersOf(new PassThrough())

const pipe = Effect.acquireRelease(
  Effect.sync(() => new PassThrough()),
  (pipe) =>
    Effect.sync(() => {
      left += Math.max(0, listenersOf(pipe) - own)
      pipe.destroy()
    })
)

/** These are the process's own until the Scope closes. */
const ofProcess = (streams: { readonly stdin: PassThrough; readonly stdout: PassThrough }) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const { stdin, stdout } = Object.getOwnPropertyDescriptors(process)
      for (const [name, value] of Object.entries(streams)) {
        Object.defineProperty(process, name, { configurable: true, enumerable: true, value })
      }
      return { stdin, stdout }
    }),
    (before) => Effect.sync(() => void Object.defineProperties(process, before))
  )

/** The other side of the two streams. */
const other = (stdin: PassThrough, stdout: PassThrough) =>
  Effect.suspend(() => {
    const source = new Source(stdin)
    const target = new Target(stdout)
    const close = Effect.sync(() => {
      source.stop()
      target.stop()
      source.release()
      target.release()
    })
    return FramedTransport.fromBytes({ pull: source.pull, write: (bytes) => target.write(bytes), close }, {
      framing: Framing.line
    })
  })

/** Closing a transport over stdio leaves the streams to the process, whose exit ends them. */
const exiting = (side: Side, stdout: PassThrough): Side => ({
  ...side,
  close: Effect.andThen(side.close, Effect.sync(() => void stdout.end()))
})

/** This process and its other side, over a pipe each way. */
export const pair = Effect.gen(function*() {
  const there = yield* pipe
  const back = yield* pipe
  yield* ofProcess({ stdin: back, stdout: there })
  const side = exiting(yield* Effect.orDie(NodeStdio.makeTransport()), there)
  return [side, exiting(yield* other(there, back), back)] as const
})
