/**
 * Parts of a transport that are used without a fiber.
 *
 * `receive` and `send` are effects, and an effect needs a fiber: starting one, or
 * making one wait, costs about as much as reading a short text. Wires that hand over whole
 * texts by themselves, and take them at once, need none. What they do is kept
 * beside the effects, and a `Peer` calls it. A wrapping that puts other effects in
 * their place gives that up, and loses nothing but time.
 *
 * @since 0.1.0
 */
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type { Received, Transport } from "./Transport.ts"
import type { TransportError } from "./TransportError.ts"

/**
 * Begins to wait for the next texts, and hands them over once: in this turn, when they are there, or later. Gives how
 * to stop waiting, if it waits. The rules of `receive` hold.
 *
 * @category models
 * @since 0.1.0
 */
export type Take = (
  resume: (exit: Exit.Exit<NonEmptyReadonlyArray<Received>, TransportError>) => void
) => (() => void) | undefined

/**
 * Writes texts now, and gives how that ended; where it has to wait, the effect that waits. The rules of `send` hold.
 *
 * @category models
 * @since 0.1.0
 */
export type Give = Transport["Service"]["send"]

/**
 * The `receive` of a transport that waits without a fiber.
 *
 * @category constructors
 * @since 0.1.0
 */
export const receive = (take: Take): Transport["Service"]["receive"] => {
  const effect = Effect.callback<NonEmptyReadonlyArray<Received>, TransportError>((resume) => {
    const stop = take(resume)
    return stop === undefined ? undefined : Effect.sync(stop)
  })
  return Object.assign(effect, { [taking]: take })
}

/**
 * The `send` of a transport that writes without a fiber.
 *
 * @category constructors
 * @since 0.1.0
 */
export const send = (give: Give): Transport["Service"]["send"] =>
  Object.assign((texts: NonEmptyReadonlyArray<string>) => Effect.suspend(() => give(texts)), { [giving]: give })

/**
 * How to receive without a fiber, where there is a way.
 *
 * @category accessors
 * @since 0.1.0
 */
export const takeOf = (
  { receive }: { readonly receive: Transport["Service"]["receive"] & { readonly [taking]?: Take } }
): Take | undefined => receive[taking]

/**
 * How to send without a fiber, where there is a way.
 *
 * @category accessors
 * @since 0.1.0
 */
export const giveOf = (
  { send }: { readonly send: Transport["Service"]["send"] & { readonly [giving]?: Give } }
): Give | undefined => send[giving]

const taking = Symbol("@parley/transport/Direct/taking")
const giving = Symbol("@parley/transport/Direct/giving")
