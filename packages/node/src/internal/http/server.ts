/**
 * The requests to an endpoint over `node:http` itself: Effect's server takes several
 * times as long for a request as a small handler.
 *
 * `Serving` of `@parley/http` has the rules; this file moves bytes. Node watches the
 * times in which a head and a body must arrive.
 */
import type * as HttpEndpoint from "@parley/http/HttpEndpoint"
import { Served, type Serving } from "@parley/http/shared"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as http from "node:http"
import { Answers } from "./Answers.ts"
import { NodeServing } from "./NodeServing.ts"
import type { Port } from "./Port.ts"

/** Serves an endpoint at a path of a port until the Scope closes, which ends it in order. */
export const serve = (
  port: Port,
  path: string,
  endpoint: HttpEndpoint.HttpEndpoint,
  isPrefix = false
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function*() {
    const context = yield* Effect.context<never>()
    const running = new RunningEndpoint(endpoint, context)
    const { answers, served } = running
    yield* port.requests(path, {
      isPrefix,
      // Requests and streams may be `connections` each. The rest is for idle connections, and to answer 503.
      connections: 3 * endpoint.limits.connections,
      answers,
      flush: () => served.flush(),
      take: (request, response, refusal) =>
        running.begin(new NodeServing(served, request, response, context), response, refusal)
    })
    yield* Effect.addFinalizer(() => running.close((drain) => port.left(drain)))
  })

/** An endpoint that takes requests, and its answers that have not ended. */
export class RunningEndpoint {
  readonly served: Served.Served
  readonly answers: Answers

  constructor(endpoint: HttpEndpoint.HttpEndpoint, context: Context.Context<never>) {
    this.served = new Served.Served(endpoint)
    this.answers = new Answers(context)
  }

  /** Serves a request, or refuses it where the server is not there for requests now. */
  begin(
    serving: NodeServing,
    response: http.ServerResponse,
    refusal: Serving.Refused | undefined,
    principal?: Context.Context<never>
  ): void {
    this.answers.add(response, serving)
    serving.begin(refusal, principal)
  }

  /** Ends in order. `left` says how many of so many milliseconds are left for draining. */
  close(left: (milliseconds: number) => Effect.Effect<number>): Effect.Effect<void> {
    return this.served.close({ left, drain: (within, over) => this.answers.drain(within, over) })
  }
}
