/**
 * What a wire needs of a package that is there only where somebody has installed it.
 */
import { type TransportError, transportError } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"

/** NATS, whose client few programs need. Fails where `@parley/nats` is not installed. */
export const nats: Effect.Effect<typeof import("./nats.ts"), TransportError> = Effect.tryPromise({
  try: () => import("./nats.ts"),
  catch: (cause) =>
    transportError({
      _tag: "Open",
      cause: isMissing(cause) ? new Error("@parley/nats is not installed: run `npm install @parley/nats`") : cause
    })
})

const isMissing = (cause: unknown): boolean =>
  cause instanceof Error && "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND"
