/**
 * Transports that are read and written without a fiber.
 *
 * `receive` and `send` are effects, and running an effect needs a fiber: starting
 * one, or suspending one, costs about as much as reading a short text. A wire that
 * delivers whole texts by callbacks, and takes them at once, can avoid that. It
 * builds its two operations with `receive` and `send` of this module from plain
 * functions. A `Peer` finds these functions with `takeOf` and `giveOf` and calls
 * them directly; everybody else runs the effects. A wrapping that replaces the
 * effects loses the shortcut and nothing else.
 *
 * ```ts run
 * import { Direct } from "@parley/transport/shared"
 * import { Effect, Exit } from "effect"
 *
 * const receive = Direct.receive((resume) => {
 *   resume(Exit.succeed(["a text"]))
 *   return undefined
 * })
 * const send = Direct.send((texts) => Effect.sync(() => console.log("written:", ...texts)))
 *
 * console.log(Effect.runSync(receive)) // => [ 'a text' ]
 * Effect.runSync(send(["one", "two"])) // => written: one two
 * console.log(Direct.takeOf({ receive }) !== undefined) // => true
 * ```
 *
 * @since 0.1.0
 */
import type { Framing } from "@parley/protocol/Framing"
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type { TransportError } from "../internal/TransportError.ts"
import type { Received, Transport } from "../Transport.ts"

/**
 * Waits for the next texts and calls `resume` once with them: synchronously when they are there, otherwise later. When
 * it waits, it returns a function that stops waiting. The rules of `receive` apply.
 *
 * @category models
 * @since 0.1.0
 */
export type Take = (
  resume: (exit: Exit.Exit<NonEmptyReadonlyArray<Received>, TransportError>) => void
) => (() => void) | undefined

/**
 * Writes texts now and returns the exit, or the effect that waits for room. The rules of `send` apply.
 *
 * @category models
 * @since 0.1.0
 */
export type Give = Transport["send"]

/**
 * The `receive` of a transport, from a function that needs no fiber.
 *
 * @category constructors
 * @since 0.1.0
 */
export const receive = (take: Take): Transport["receive"] => {
  const effect = Effect.callback<NonEmptyReadonlyArray<Received>, TransportError>((resume) => {
    const stop = take(resume)
    return stop === undefined ? undefined : Effect.sync(stop)
  })
  return Object.assign(effect, { [taking]: take })
}

/**
 * The `send` of a transport, from a function that needs no fiber.
 *
 * @category constructors
 * @since 0.1.0
 */
export const send = (give: Give): Transport["send"] =>
  Object.assign((texts: NonEmptyReadonlyArray<string>) => Effect.suspend(() => give(texts)), { [giving]: give })

/**
 * The function behind the `receive` of a transport, if it was made by this module.
 *
 * @category accessors
 * @since 0.1.0
 */
export const takeOf = (
  { receive }: { readonly receive: Transport["receive"] & { readonly [taking]?: Take } }
): Take | undefined => receive[taking]

/**
 * The function behind the `send` of a transport, if it was made by this module.
 *
 * @category accessors
 * @since 0.1.0
 */
export const giveOf = (
  { send }: { readonly send: Transport["send"] & { readonly [giving]?: Give } }
): Give | undefined => send[giving]

/**
 * Marks the `send` of a transport that knows how many bytes of its writes the system has not taken yet. So a long text
 * shows progress while it is written.
 *
 * @category constructors
 * @since 0.1.0
 */
export const measured = (send: Transport["send"], unsent: () => number): Transport["send"] =>
  Object.assign(send, { [measuring]: unsent })

/**
 * How many bytes of its writes the system has not taken yet, if the transport knows.
 *
 * @category accessors
 * @since 0.1.0
 */
export const unsentOf = (
  { send }: { readonly send: Transport["send"] & { readonly [measuring]?: () => number } }
): (() => number) | undefined => send[measuring]

/**
 * How a transport makes bytes of texts, and writes bytes. Who writes the same texts to many transports that frame alike
 * joins them once.
 *
 * @category models
 * @since 0.1.0
 */
export interface Joined {
  /** How the bytes carry texts: transports with the same framing have the same bytes for them. */
  readonly framing: Framing
  /** Writes bytes that the framing has joined. The rules of `Give` apply. */
  readonly write: (bytes: Uint8Array) => ReturnType<Give>
}

/**
 * Marks the `send` of a transport that writes what its framing joins.
 *
 * @category constructors
 * @since 0.1.0
 */
export const joining = (send: Transport["send"], joined: Joined): Transport["send"] =>
  Object.assign(send, { [joinedBy]: joined })

/**
 * How a transport makes bytes of texts, if it is marked.
 *
 * @category accessors
 * @since 0.1.0
 */
export const joinedOf = (
  { send }: { readonly send: Transport["send"] & { readonly [joinedBy]?: Joined } }
): Joined | undefined => send[joinedBy]

const joinedBy = Symbol("@parley/transport/Direct/joined")
const measuring = Symbol("@parley/transport/Direct/measuring")
const taking = Symbol("@parley/transport/Direct/taking")
const giving = Symbol("@parley/transport/Direct/giving")
