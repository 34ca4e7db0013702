/**
 * One side of a connection in the hands of a law: whole texts out, one text at a time in, and a patience that says
 * when silence is silence.
 */
import * as Batch from "@parley/protocol/Batch"
import type * as Message from "@parley/protocol/Message"
import type { Received, Transport, TransportError } from "@parley/transport/Transport"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { broken } from "../laws.ts"

export interface Side {
  /** Sends texts in one go. */
  readonly send: (...texts: ReadonlyArray<string>) => Effect.Effect<void, TransportError>
  /** The next text, or `undefined` where none comes. */
  readonly next: Effect.Effect<string | undefined, TransportError>
  /** The next text. None is a breach. */
  readonly text: Effect.Effect<string, unknown>
  /** The next text, which must hold one message. */
  readonly message: Effect.Effect<Message.Message, unknown>
  /** The next text, which must hold one request. */
  readonly request: Effect.Effect<Message.Request, unknown>
  readonly close: Effect.Effect<void>
}

/** How long a law waits for what must come, where nothing else is said. */
export const patience: Duration.Input = "5 seconds"

export const make = (transport: Transport, wait: Duration.Input | undefined = patience): Side => {
  const waiting: Array<Received> = []

  const receive: Effect.Effect<void, TransportError> = Effect.uninterruptibleMask((restore) =>
    Effect.map(restore(transport.receive), (received) => void waiting.push(...received))
  )

  const next = Effect.suspend(() =>
    waiting.length > 0 ? Effect.sync(() => waiting.shift()) : Effect.timeoutOrElse(
      Effect.map(receive, () => waiting.shift()),
      { duration: wait, orElse: () => Effect.succeed(undefined) }
    )
  ).pipe(Effect.map((received) => typeof received === "object" ? `a bad frame: ${received.reason}` : received))

  const text = Effect.flatMap(
    next,
    (received) => received === undefined ? broken("nothing came") : Effect.succeed(received)
  )

  const message = Effect.flatMap(text, (received) => {
    const batch = Batch.decode(received)
    return !Batch.isMembers(batch) && Result.isSuccess(batch)
      ? Effect.succeed(batch.success)
      : broken(`one message should come, not ${received}`)
  })

  return {
    send: (...[first, ...others]) => first === undefined ? Effect.void : transport.send([first, ...others]),
    next,
    text,
    message,
    request: Effect.flatMap(
      message,
      (received) =>
        received._tag === "Request" ? Effect.succeed(received) : broken(`a request should come, not ${show(received)}`)
    ),
    close: transport.close
  }
}

const show = (message: Message.Message): string => JSON.stringify(message)
