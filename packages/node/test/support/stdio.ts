/** Standard input and output as streams that a test makes and ends. */
import { NodeSink, NodeStream } from "@effect/platform-node"
import * as NodeStdio from "@parley/node/NodeStdio"
import * as StdioTransport from "@parley/transport/StdioTransport"
import type { Transport } from "@parley/transport/Transport"
import { Effect, Stdio } from "effect"
import { systemError } from "effect/PlatformError"
import { PassThrough } from "node:stream"

type Side = Transport["Service"]

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

const failed = (method: string) => (cause: unknown) => systemError({ module: "Stdio", method, _tag: "Unknown", cause })

/** Effect's `Stdio` over two streams. */
const neutral = (stdin: PassThrough, stdout: PassThrough) =>
  Effect.provide(
    StdioTransport.make(),
    Stdio.layerTest({
      stdin: NodeStream.fromReadable({ evaluate: () => stdin, onError: failed("stdin"), closeOnDone: false }),
      stdout: () => NodeSink.fromWritable({ evaluate: () => stdout, onError: failed("stdout"), endOnDone: false })
    })
  )

/** Closing a transport over stdio leaves the streams to the process, whose exit ends them. */
const exiting = (side: Side, stdout: PassThrough): Side => ({
  ...side,
  close: Effect.andThen(side.close, Effect.sync(() => void stdout.end()))
})

/** Two sides, of which the first may be this process, over a pipe each way. */
const over = (first: (stdin: PassThrough, stdout: PassThrough) => ReturnType<typeof neutral>) =>
  Effect.gen(function*() {
    const there = yield* pipe
    const back = yield* pipe
    const side = exiting(yield* first(back, there), there)
    return [side, exiting(yield* neutral(there, back), back)] as const
  })

export const node = over((stdin, stdout) =>
  Effect.andThen(ofProcess({ stdin, stdout }), Effect.orDie(NodeStdio.makeTransport()))
)

export const effect = over(neutral)
