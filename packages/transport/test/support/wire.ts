/** A duplex of bytes in the hands of the test. */
import { type FramedTransport, Transport } from "@parley/transport"
import { Effect, Exit } from "effect"
import type { NonEmptyReadonlyArray } from "effect/Array"

type Chunks = NonEmptyReadonlyArray<Uint8Array>
type Pulled = Exit.Exit<Chunks, Transport.TransportError>

export interface Wire extends FramedTransport.Bytes {
  /** Gives these chunks to one pull. */
  readonly bring: (...chunks: readonly [string, ...Array<string>]) => Effect.Effect<void>
  readonly endWith: (reason: Transport.TransportReason) => Effect.Effect<void>
  readonly written: Array<string>
  readonly closings: () => number
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

export const make = (): Wire => {
  const pulled: Array<Pulled> = []
  const written: Array<string> = []
  let waiter: ((exit: Pulled) => void) | undefined
  let closings = 0
  const give = (exit: Pulled) => {
    const resume = waiter
    waiter = undefined
    if (resume === undefined) pulled.push(exit)
    else resume(exit)
  }
  const endWith = (reason: Transport.TransportReason) =>
    Effect.sync(() => give(Exit.fail(Transport.transportError(reason))))
  return {
    pull: Effect.callback((resume) => {
      const exit = pulled.shift()
      if (exit !== undefined) return resume(exit)
      waiter = resume
      return Effect.sync(() => {
        waiter = undefined
      })
    }),
    write: (bytes) => Effect.sync(() => void written.push(decoder.decode(bytes))),
    close: Effect.suspend(() => {
      closings++
      return endWith({ _tag: "Closed" })
    }),
    bring: (first, ...others) =>
      Effect.sync(() => give(Exit.succeed([encoder.encode(first), ...others.map((chunk) => encoder.encode(chunk))]))),
    endWith,
    written,
    closings: () => closings
  }
}

/** The reason that this effect fails with. */
export const reasonOf = <A, R>(
  effect: Effect.Effect<A, Transport.TransportError, R>
): Effect.Effect<Transport.TransportReason, A, R> => Effect.map(Effect.flip(effect), (error) => error.reason)
