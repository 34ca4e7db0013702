/**
 * The fetcher over undici's connection pools themselves.
 */
import type { HttpFetcher } from "@parley/http/shared/client"
import type { Disconnected } from "@parley/peer/Caller"
import { Exchange } from "@parley/peer/shared"
import * as Limits from "@parley/protocol/Limits"
import { Budget } from "@parley/transport/shared"
import type * as Transport from "@parley/transport/Transport"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Undici from "undici"
import { Agent } from "undici"
import { isUndici, make as makeOverFetch } from "./overFetch.ts"
import { publicOnly, refusePrivate } from "./publicOnly.ts"
import { many, one, open, type Options, outside, Reading } from "./undici.ts"

/** Fetches over connections that are kept until the Scope closes. */
export const make = Effect.fnUntraced(function*(
  options: Options
): Effect.fn.Return<HttpFetcher.HttpFetcher, Transport.TransportError, Scope.Scope> {
  if (!isUndici) return yield* makeOverFetch(options)
  const connections = yield* open(options, (settings) => Effect.sync(() => new Agent(settings)))
  const guarded = yield* open(options, (settings) => Effect.sync(() => new Agent(publicOnly(settings))))
  const budget = Budget.make(Limits.make(options.limits).budget)
  // Nearly all programs use one URL.
  let last = { url: "", origin: "", path: "" }
  return {
    fetch: (request) =>
      Effect.acquireRelease(
        Effect.withFiber((fiber) =>
          Effect.callback<Fetch, Disconnected>((resume) => {
            const fetch = new Fetch(budget, resume)
            try {
              const { body = null, headers = null, method } = request
              const url = String(request.url)
              if (url !== last.url) last = placeOf(url)
              const { origin, path } = last
              const isGuarded = request.addresses === "public"
              if (isGuarded) refusePrivate(new URL(origin).hostname)
              const to = isGuarded ? guarded : connections
              to[fiber.getRef(Exchange.Share)].dispatch({ origin, path, method, headers, body }, fetch)
            } catch (cause) {
              fetch.lose(cause)
            }
            return fetch.abort
          })
        ),
        (fetch) => fetch.leave,
        { interruptible: true }
      )
  }
})

const placeOf = (url: string) => {
  const { origin, pathname, search } = new URL(url)
  return { url, origin, path: pathname + search }
}

type Resume = (effect: Effect.Effect<Fetch, Disconnected>) => void

/** One request and its answer, as the handler that undici calls. */
class Fetch extends Reading<Uint8Array, unknown, void> implements HttpFetcher.Response {
  readonly budget: Budget.Budget
  readonly #resume: Resume
  status = 0
  #headers: Undici.Dispatcher.ResponseData["headers"] = {}

  constructor(budget: Budget.Budget, resume: Resume) {
    super()
    this.budget = budget
    this.#resume = resume
  }

  /** Aborts an answer that was not read to its end. */
  readonly leave: Effect.Effect<void> = Effect.suspend(() => this.isEnded ? Effect.void : this.abort)

  readonly header = (name: string): string | undefined => one(this.#headers[name])

  readonly names = (): ReadonlyArray<string> => Object.keys(this.#headers)

  get cookies(): ReadonlyArray<string> {
    return many(this.#headers["set-cookie"])
  }

  readonly read = <E>(take: HttpFetcher.Take<Uint8Array, E>): Effect.Effect<void, Disconnected | E> =>
    Effect.contextWith((context: Context.Context<never>) =>
      Effect.callback<void, Disconnected | E>((resume) => {
        // It fails only as connections do, or as `take` does.
        this.handTo(take, context, (ending) => resume(ending as Effect.Effect<void, Disconnected | E>))
        this.proceed()
        return this.abort
      })
    )

  override lose(cause: unknown) {
    const lost = this.lost(cause)
    this.end(lost)
    this.#resume(lost)
  }

  onResponseStart(
    _: Undici.Dispatcher.DispatchController,
    status: number,
    headers: Undici.Dispatcher.ResponseData["headers"]
  ) {
    if (status < 200) return
    this.status = status
    this.#headers = headers
    outside(() => this.#resume(Effect.succeed(this)))
  }

  onResponseData(_: Undici.Dispatcher.DispatchController, chunk: Buffer) {
    // Undici reads nothing with each resumption, and a taker that waits for that would be resumed for ever.
    if (!this.isEnded && chunk.length > 0) this.push([chunk])
  }

  protected override close() {
    this.end(Effect.void)
  }
}
