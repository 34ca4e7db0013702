/** The messages on a wire, for readers who want to see more than a client shows. */
import { Transport } from "@parley/transport"
import { Effect, Layer, Option, Queue, Schema } from "effect"

/** A message as it passed. */
const Passed = Schema.Struct({
  id: Schema.optionalKey(Schema.Json),
  method: Schema.optionalKey(Schema.String),
  params: Schema.optionalKey(Schema.Json),
  result: Schema.optionalKey(Schema.Json),
  error: Schema.optionalKey(Schema.Json)
})

export type Passed = typeof Passed.Type & { readonly direction: "sent" | "received" }

/** A tap on a wire. */
export interface Wire {
  /** Takes the transport that is provided, and is one that can be watched. */
  readonly layer: Layer.Layer<Transport.Transport, never, Transport.Transport>
  /** The next message of this kind. Those before it are forgotten. */
  readonly next: (is: (passed: Passed) => boolean) => Effect.Effect<Passed>
}

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Passed))

export const make: Effect.Effect<Wire> = Effect.map(Queue.unbounded<Passed>(), (passed) => {
  const see = (direction: Passed["direction"], texts: ReadonlyArray<unknown>) => {
    for (const message of texts.map((text) => decode(text))) {
      if (Option.isSome(message)) Queue.offerUnsafe(passed, { ...message.value, direction })
    }
  }
  const next: Wire["next"] = (is) =>
    Effect.flatMap(Queue.take(passed), (message) => is(message) ? Effect.succeed(message) : next(is))
  return {
    layer: Transport.wrap((inner) =>
      Effect.succeed({
        ...inner,
        receive: Effect.tap(inner.receive, (texts) => Effect.sync(() => see("received", texts))),
        send: (texts) => Effect.suspend(() => (see("sent", texts), inner.send(texts)))
      })
    ),
    next
  }
})
