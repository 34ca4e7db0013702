/**
 * The subscriptions of callers at a server. What a party calls behind a new one waits until the server has answered that: the
 * call may change the resource that the party believes to listen to.
 */
import type { McpConnectError } from "@parley/mcp/client/McpClientError"
import type { McpContext } from "@parley/mcp/McpContext"
import type * as ErrorResponse from "@parley/peer/ErrorResponse"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Line } from "../Line.ts"

type Party = McpContext["party"]

/** The subscriptions of a party that the server has not answered. */
interface Opening {
  count: number
  readonly over: Latch.Latch
}

/**
 * Milliseconds that a call waits for a server that does not answer subscriptions. Callers whom nothing tells apart wait for each
 * other, so not for long.
 */
const longestOf = (party: Party): number => party === undefined ? 50 : 1_000

/** @internal */
export class Listening {
  readonly #take: (
    call: McpContext
  ) => Effect.Effect<Line, McpConnectError | ErrorResponse.ErrorResponse, Scope.Scope>
  readonly #down: Effect.Effect<never, ErrorResponse.ErrorResponse>
  readonly #openings = new Map<Party, Opening>()

  /** `take` takes the connection for requests of a call that ask nothing, and `down` fails as the server that is away. */
  constructor(
    take: (call: McpContext) => Effect.Effect<Line, McpConnectError | ErrorResponse.ErrorResponse, Scope.Scope>,
    down: Effect.Effect<never, ErrorResponse.ErrorResponse>
  ) {
    this.#take = take
    this.#down = down
  }

  /** Listens to a resource, from now on, as long as a connection is there, and may run again after that. */
  watch(call: McpContext, uri: string) {
    const first = this.#begin(call.party)
    let count = 0
    return Stream.unwrap(Effect.gen({ self: this }, function*() {
      const isAgain = count++ > 0
      const answered = isAgain ? this.#begin(call.party) : first
      yield* Effect.addFinalizer(() => Effect.sync(answered))
      const { client, closed } = yield* this.#take(call)
      const changes = Stream.tap(client.subscribe(uri), () => Effect.sync(answered))
      return changes.pipe(
        // No client has heard of changes between two connections.
        Stream.filter(({ _tag }) => isAgain || _tag !== "Subscribed"),
        Stream.interruptWhen(Effect.andThen(Deferred.await(closed), this.#down))
      )
    }))
  }

  /** Waits for the subscriptions of the call's party that have begun. */
  behind({ party }: McpContext): Effect.Effect<void> {
    return Effect.suspend(() => {
      const opening = this.#openings.get(party)
      return opening === undefined ? Effect.void : Effect.map(
        Effect.timeoutOption(opening.over.await, longestOf(party)),
        () => this.#end(party, opening)
      )
    })
  }

  #begin(party: Party): () => void {
    const opening = this.#openings.get(party) ?? { count: 0, over: Latch.makeUnsafe() }
    this.#openings.set(party, opening)
    opening.count++
    let isAnswered = false
    return () => {
      if (isAnswered) return
      isAnswered = true
      if (--opening.count === 0) this.#end(party, opening)
    }
  }

  #end(party: Party, opening: Opening) {
    opening.over.openUnsafe()
    if (this.#openings.get(party) === opening) this.#openings.delete(party)
  }
}
