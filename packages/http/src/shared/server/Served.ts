/**
 * The state that all requests to one endpoint share on a host, and how they end with it.
 *
 * A host makes one for each endpoint, and gives it to each `Serving`.
 *
 * ```ts run
 * import { HttpEndpoint } from "@parley/http"
 * import { Served } from "@parley/http/shared"
 * import { Effect, Option } from "effect"
 *
 * const served = new Served.Served(HttpEndpoint.jsonRpcWith(() => Effect.succeed(Option.none())))
 * served.onDraining(() => console.log("ends")) // => ends
 * await Effect.runPromise(served.close({ left: Effect.succeed, drain: () => Effect.void }))
 * ```
 *
 * @since 0.1.0
 */
import { Roster } from "@parley/transport/shared"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as HttpEndpoint from "../../HttpEndpoint.ts"
import { Turn } from "../../internal/server/Turn.ts"

/** A request, as its host sees it at its end. @category models @since 0.1.0 */
export interface Request extends Roster.Linked<Request> {
  /** Ends its stream in order, or refuses it. */
  readonly endStream: () => void
  /** Interrupts what runs for it, and waits for its end. */
  readonly interrupt: Effect.Effect<void>
}

/**
 * Milliseconds for what ends late: refusals to be read, the `closing` of an endpoint, handlers that are interrupted.
 *
 * @category bounds
 * @since 0.1.0
 */
export const grace = 1_000

/**
 * The state that all requests to one endpoint share.
 *
 * @category models
 * @since 0.1.0
 */
export class Served {
  /** The endpoint. */
  readonly endpoint: HttpEndpoint.HttpEndpoint
  /** Requests that are being authorized or answered by a fiber. */
  readonly working = new Roster.Roster<Request>()
  /** Answers that last as long as their clients like. */
  readonly staying = new Set<Request>()
  #turn: Turn | undefined
  /** Functions to call when the host begins to shut down. */
  readonly #hearing = new Set<() => void>()
  #isClosing = false

  constructor(endpoint: HttpEndpoint.HttpEndpoint) {
    this.endpoint = endpoint
  }

  /** Whether the host takes no more requests, and ends those that it has. */
  get isClosing(): boolean {
    return this.#isClosing
  }

  /** Collects the answers of a turn of the event loop. It is made with the scheduler of the first request. */
  turn(context: Context.Context<never>): Turn {
    // Each answer that waits has the place of a connection.
    return this.#turn ??= new Turn(context, this.endpoint.limits.connections / 4)
  }

  /** Calls a function when the host begins to shut down, at once where it has begun. */
  readonly onDraining = (hear: () => void): () => void => {
    if (this.#isClosing) hear()
    else this.#hearing.add(hear)
    return () => this.#hearing.delete(hear)
  }

  /** Sends the answers that wait for the end of the turn. */
  flush(): void {
    this.#turn?.end()
  }

  /**
   * Ends in order: streams may send something last, requests have what `left` gives of `Limits.drain`, for which `drain`
   * waits, and then they are interrupted.
   */
  close({ drain, left }: {
    /** How many of so many milliseconds are left for draining. */
    readonly left: (milliseconds: number) => Effect.Effect<number>
    /** Waits for so many milliseconds until all answers have left, then refuses or breaks off the others. */
    readonly drain: (within: number) => Effect.Effect<void>
  }): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      const { closing, drained, limits } = this.endpoint
      this.#isClosing = true
      this.flush()
      for (const hear of this.#hearing) hear()
      yield* Effect.timeoutOption(closing ?? Effect.void, grace)
      for (const request of [...this.staying]) request.endStream()
      const within = yield* left(limits.drain)
      const others = drained === undefined ? Effect.void : Effect.timeoutOption(drained, within)
      yield* Effect.all([drain(within), others], { concurrency: "unbounded", discard: true })
      const running = this.working.all().map((request) => request.interrupt)
      yield* Effect.timeoutOption(Effect.all(running, { concurrency: "unbounded", discard: true }), grace)
    })
  }
}
