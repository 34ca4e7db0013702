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
 * served.onDraining((step) => console.log(step)) // => begins
 * await Effect.runPromise(served.close({ left: Effect.succeed, drain: () => Effect.void }))
 * ```
 *
 * @since 0.1.0
 */
import type { DrainStep, OnDraining } from "@parley/peer/Router"
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

/** One that hears how the host shuts down. A set would gain and lose an entry with each request. */
interface Hearing extends Roster.Linked<Hearing> {
  readonly hear: (step: DrainStep) => void
}

/**
 * Milliseconds for what ends late: refusals and errors to be read, the `closing` of an endpoint, handlers that are
 * interrupted.
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
  readonly #hearing = new Roster.Roster<Hearing>()
  /** The steps that the host has taken to its end. */
  readonly #steps: Array<DrainStep> = []

  constructor(endpoint: HttpEndpoint.HttpEndpoint) {
    this.endpoint = endpoint
  }

  /** Whether the host takes no more requests, and ends those that it has. */
  get isClosing(): boolean {
    return this.#steps.length > 0
  }

  /** Collects the answers of a turn of the event loop. It is made with the scheduler of the first request. */
  turn(context: Context.Context<never>): Turn {
    // Each answer that waits has the place of a connection.
    return this.#turn ??= new Turn(context, this.endpoint.limits.connections / 4)
  }

  /** Calls a function at each step of the host to its end, at once for those that it has taken. */
  readonly onDraining: OnDraining = (hear) => {
    for (const step of this.#steps) hear(step)
    const hearing: Hearing = { hear, earlier: undefined, later: undefined }
    this.#hearing.add(hearing)
    return () => this.#hearing.delete(hearing)
  }

  /** Sends the answers that wait for the end of the turn. */
  flush(): void {
    this.#turn?.end()
  }

  /**
   * Ends in order: streams may send something last, requests have what `left` gives of `Limits.drain`, for which `drain`
   * waits. Then they may answer that they were ended, and those that do not are interrupted.
   */
  close({ drain, left }: {
    /** How many of so many milliseconds are left for draining. */
    readonly left: (milliseconds: number) => Effect.Effect<number>
    /**
     * Waits for so many milliseconds until all answers have left. Then it calls `over`, after which the others have a moment
     * where that says so, and refuses or breaks off those that remain.
     */
    readonly drain: (within: number, over: () => boolean) => Effect.Effect<void>
  }): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      const { closing, drained, limits } = this.endpoint
      this.flush()
      this.#take("begins")
      yield* Effect.timeoutOption(closing ?? Effect.void, grace)
      for (const request of [...this.staying]) request.endStream()
      const within = yield* left(limits.drain)
      const others = drained === undefined ? Effect.void : Effect.timeoutOption(drained, within)
      const over = () => this.#take("over")
      yield* Effect.all([drain(within, over), others], { concurrency: "unbounded", discard: true })
      const running = this.working.all().map((request) => request.interrupt)
      yield* Effect.timeoutOption(Effect.all(running, { concurrency: "unbounded", discard: true }), grace)
    })
  }

  /** Takes a step to the end, and tells whether anything hears of it. */
  #take(step: DrainStep): boolean {
    this.#steps.push(step)
    const all = this.#hearing.all()
    for (const { hear } of all) hear(step)
    return all.length > 0
  }
}

/**
 * A path as the routers of hosts compare it: some take other letters and a slash at the end for the same. A path that a host
 * has sent to a `wellKnown` endpoint must not reach another one.
 *
 * @category conversions
 * @since 0.1.0
 */
export const routeOf = (path: string): string => path.toLowerCase().replace(/\/$/, "")
