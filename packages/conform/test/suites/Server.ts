/** A server of JSON-RPC in memory that is right in all but what a test changes. */
import type * as Target from "@parley/conform/Target"
import { Router } from "@parley/peer"
import { Framing, Limits } from "@parley/protocol"
import { MemoryTransport, type Transport } from "@parley/transport"
import { Duration, Effect, Logger, Option, Scope } from "effect"

/** The faults of a server. */
export interface Fault {
  /** The answer to a text, made from the right answer; `undefined` ends the connection. */
  readonly answer?: (input: string, right: ReadonlyArray<string>) => ReadonlyArray<string> | undefined
  /** The bytes that are read of those of a stream. */
  readonly bytes?: (bytes: string) => string
  /** Reads each chunk as texts of its own. */
  readonly chunks?: (chunk: string) => ReadonlyArray<string>
  /** Serves nobody any more once a connection has ended so. */
  readonly isProcess?: boolean
  /** By how many milliseconds an answer comes later: others overtake it. */
  readonly late?: (input: string) => number
  /** How long the process takes to end. */
  readonly end?: number
  /** Serves nobody any more once a stream has ended within a message. */
  readonly isFragile?: boolean
}

/** How what has come becomes texts. */
interface Reading {
  readonly read: (received: string) => ReadonlyArray<string>
  readonly isPartial: () => boolean
}

/** The server as a target. */
export const target = Effect.fnUntraced(function*(
  {
    answer = (_, right) => right,
    bytes = (all) => all,
    chunks,
    end = 0,
    isFragile = false,
    isProcess = false,
    late = () => 0
  }: Fault,
  framing: Target.Stream["framing"] = "line"
): Effect.fn.Return<Target.Duplex, never, Scope.Scope> {
  const scope = yield* Effect.scope
  let isDead = false
  const router = yield* Router.make()
  const reply = (text: string) =>
    Effect.map(
      Effect.provide(router.answer(text), Logger.layer([])),
      (right) => answer(text, Option.toArray(right))
    )

  const serve = Effect.fnUntraced(function*(
    far: Transport.Transport,
    { isPartial, read }: Reading,
    written: (texts: ReadonlyArray<string>) => ReadonlyArray<string>
  ) {
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        isDead ||= isFragile && isPartial()
      })
    )
    while (!isDead) {
      for (const received of yield* far.receive) {
        for (const text of read(typeof received === "string" ? received : "")) {
          const texts = isDead ? undefined : yield* reply(text)
          if (texts === undefined) {
            isDead ||= isProcess
            return yield* far.close
          }
          const [first, ...others] = written(texts)
          if (first === undefined) continue
          const sent = Effect.ignore(far.send([first, ...others]))
          const time = late(text)
          yield* time === 0 ? sent : Effect.forkIn(Effect.delay(sent, time), scope)
        }
      }
    }
    yield* far.close
  })

  const connect = (
    read: () => Reading,
    written: (texts: ReadonlyArray<string>) => ReadonlyArray<string>
  ) =>
    Effect.gen(function*() {
      // The side of the server reads what was written before the end.
      const [near, far] = yield* Scope.provide(MemoryTransport.makePair(), scope)
      yield* Effect.addFinalizer(() => near.close)
      yield* Effect.forkIn(Effect.ignore(Effect.scoped(serve(far, read(), written))), scope)
      return near
    })

  const splitting = () => {
    const splitter = Framing.byName(framing).splitter(Limits.defaults)
    const read = (chunk: string) =>
      chunks?.(chunk) ??
        splitter.push(Uint8Array.from(bytes(chunk), (one) => one.charCodeAt(0))).map((frame) =>
          typeof frame === "string" ? frame : ""
        )
    return { read, isPartial: () => splitter.partial() }
  }
  return {
    _tag: "Duplex",
    name: "memory",
    connect: connect(() => ({ read: (text) => [text], isPartial: () => false }), (texts) => texts),
    isProcess,
    ending: {
      grace: Duration.millis(100),
      connect: Effect.map(
        connect(() => ({ read: (text) => [text], isPartial: () => false }), (texts) => texts),
        (transport) => ({ ...transport, close: Effect.andThen(transport.close, Effect.sleep(end)) })
      )
    },
    stream: {
      framing,
      connect: connect(splitting, (texts) =>
        texts.length === 0
          ? []
          : [Array.from(Framing.byName(framing).join(texts), (byte) => String.fromCharCode(byte)).join("")])
    }
  }
})
