/** A stream under test, below its framing: bytes go out as they are, and what comes is read by the framing. */
import * as Framing from "@parley/protocol/Framing"
import * as Limits from "@parley/protocol/Limits"
import type { Transport, TransportError } from "@parley/transport/Transport"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { type Passed, Unverified } from "../../../Suite.ts"
import type * as Target from "../../../Target.ts"
import * as Binary from "../../probe/Binary.ts"
import type { Patience } from "../../probe/Patience.ts"

/** The texts that came until all ids were answered, the stream ended, or patience was over. */
export interface Outcome {
  /** The texts that came. */
  readonly texts: ReadonlyArray<string>
  readonly ended: string | undefined
  readonly exchange: ReadonlyArray<Passed>
}

/** How long a sender waits between two pieces, so that they arrive one by one. */
const pause = Duration.millis(2)

/** The bytes of a text in UTF-8. */
export const bytesOf = (text: string): string => Binary.fromBytes(new TextEncoder().encode(text))

/** The bytes of texts in a framing. */
export const framed = (name: Target.Stream["framing"], ...texts: ReadonlyArray<string>): string =>
  Binary.fromBytes(Framing.byName(name).join(texts))

/** A stream that is opened when something is written, and again when it has ended or has left something unanswered. */
export interface Stream {
  /** Writes the pieces, and reads until enough has come, the stream has ended, or patience is over. */
  readonly exchange: (
    pieces: ReadonlyArray<string>,
    isEnough: (texts: ReadonlyArray<string>) => boolean
  ) => Effect.Effect<Outcome, Unverified>
}

interface Opened {
  readonly transport: Transport
  readonly splitter: Framing.Splitter
  hasStarted: boolean
  ended: string | undefined
}

/** Makes a stream of a target. */
export const make = Effect.fnUntraced(function*(
  { connect, framing }: Target.Stream,
  patience: Patience,
  start: Duration.Duration
): Effect.fn.Return<Stream, never, Scope.Scope> {
  const scope = yield* Effect.scope
  let current: Opened | undefined
  const opened = Effect.suspend((): Effect.Effect<Opened, Unverified> =>
    current !== undefined && current.ended === undefined ? Effect.succeed(current) : Effect.map(
      Effect.mapError(
        Scope.provide(connect, scope),
        ({ message }) => new Unverified({ reason: `no connection: ${message}` })
      ),
      (transport) =>
        current = {
          transport,
          splitter: Framing.byName(framing).splitter(Limits.defaults),
          hasStarted: false,
          ended: undefined
        }
    )
  )
  return {
    exchange: Effect.fnUntraced(function*(pieces, isEnough) {
      const stream = yield* opened
      const { splitter, transport } = stream
      const texts: Array<string> = []
      const over = ({ message }: TransportError) =>
        Effect.sync(() => {
          stream.ended ??= message
        })
      const receive = Effect.gen(function*() {
        while (!isEnough(texts)) {
          for (const chunk of yield* transport.receive) {
            stream.hasStarted = true
            const bytes = typeof chunk === "string" ? chunk : ""
            for (const frame of splitter.push(Binary.toBytes(bytes))) {
              texts.push(typeof frame === "string" ? frame : frame.excerpt)
            }
          }
        }
      })
      const write = Effect.forEach(pieces, (piece) => Effect.andThen(transport.send([piece]), Effect.sleep(pause)), {
        discard: true
      })
      yield* Effect.timeoutOption(
        Effect.all([Effect.catch(write, over), Effect.catch(receive, over)], { concurrency: 2, discard: true }),
        stream.hasStarted ? patience.answer : start
      )
      // A late answer, or a server that is left within a message, is not for the next exchange.
      if (!isEnough(texts)) current = undefined
      return {
        texts: [...texts],
        ended: stream.ended,
        exchange: [
          ...pieces.map((piece): Passed => ({ direction: "sent", text: shown(piece) })),
          ...texts.map((text): Passed => ({ direction: "received", text }))
        ]
      }
    })
  }
})

/** Bytes that are no printable ASCII as escapes. */
const shown = (bytes: string): string =>
  bytes.replace(/[^\x20-\x7e]/g, (byte) => byte === "\n" ? "\\n" : byte === "\r" ? "\\r" : `\\x${hex(byte)}`)

const hex = (byte: string): string => byte.charCodeAt(0).toString(16).padStart(2, "0")
