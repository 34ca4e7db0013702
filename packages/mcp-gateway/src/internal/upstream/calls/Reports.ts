/**
 * The progress of a call whose client is asked nothing, on its way to that client: in order, and before the result.
 */
import type { Progress, RequestOptions } from "@parley/mcp/client/ClientOptions"
import type { McpContext } from "@parley/mcp/McpContext"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { Backlog, type Room } from "./Backlog.ts"

/** A request with what takes its progress, where the client of the call asks for that. @internal */
export const reporting = <A, E>(
  call: McpContext,
  room: Room,
  send: (hears: Pick<RequestOptions, "onProgress">) => Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Object.hasOwn(call.meta, "progressToken")
    ? Effect.contextWith((context: Context.Context<never>) => {
      const reports = new Reports(call, room, context)
      return Effect.ensuring(Effect.tap(send({ onProgress: reports.take }), reports.passed), reports.close)
    })
    : send({})

class Reports {
  readonly #call: McpContext
  readonly #fork: (effect: Effect.Effect<void>) => Fiber.Fiber<void>
  readonly #waiting: Backlog<Progress>
  #fiber: Fiber.Fiber<void> | undefined = undefined

  constructor(call: McpContext, room: Room, context: Context.Context<never>) {
    this.#call = call
    this.#waiting = new Backlog(room.of(call.party))
    this.close = this.#waiting.close
    this.#fork = Effect.runForkWith(context)
  }

  /** Takes a report of the upstream. */
  readonly take = (progress: Progress): void => {
    this.#waiting.push(progress)
    if (this.#fiber === undefined || this.#fiber.pollUnsafe() !== undefined) this.#fiber = this.#fork(this.#passing)
  }

  /** Forgets what was not passed on. */
  readonly close: Effect.Effect<void>

  /** Waits until all are passed on. */
  readonly passed: Effect.Effect<void> = Effect.suspend(() =>
    this.#fiber === undefined ? Effect.void : Effect.asVoid(Fiber.await(this.#fiber))
  )

  readonly #passing: Effect.Effect<void> = Effect.suspend(() => {
    const progress = this.#waiting.shift()
    return progress === undefined ? Effect.void : Effect.andThen(this.#call.progress(progress), this.#passing)
  })
}
