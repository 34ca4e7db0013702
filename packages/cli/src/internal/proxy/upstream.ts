/**
 * What a relay sends its requests with: a fetcher that is watched, and with the tokens of `parley mcp login` where it was asked for them.
 */
import type { HttpFetcher } from "@parley/http/shared/client"
import { Disconnected } from "@parley/peer/Caller"
import * as Limits from "@parley/protocol/Limits"
import { type TransportError, transportError } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Watch } from "../tap/Watch.ts"
import type { Wire } from "../wire/Wire.ts"

/** How the endpoint is reached. */
export interface Options extends Pick<Wire, "ca" | "name"> {
  readonly url: string
  readonly watch: Watch
  /** Whether requests without a credential get a token. */
  readonly login: boolean
}

/** Streams stay open beside the requests, so both may have as many connections as the front has clients. */
const connections = 2 * Limits.defaults.connections

/** Where the requests of a relay go. */
export interface Upstream {
  readonly fetcher: HttpFetcher.HttpFetcher
  /** The header for the user and password of the URL. */
  readonly credentials: Readonly<Record<string, string>>
}

/** The fetcher, until the Scope closes. */
export const make = Effect.fnUntraced(function*(
  options: Options
): Effect.fn.Return<Upstream, TransportError, Scope.Scope> {
  const { ca, url, watch } = options
  const [NodeHttp, { NodeExchange }] = yield* Effect.promise(() =>
    Promise.all([import("@parley/node/NodeHttp"), import("@parley/node/shared")])
  )
  const credentials = yield* Effect.try({
    try: () => NodeExchange.credentialsOf(new URL(url)),
    catch: (cause) => transportError({ _tag: "Open", cause })
  })
  const fetcher = watch.fetcher(yield* NodeHttp.makeFetcher({ connections, tls: { ca } }), url)
  return { credentials, fetcher: options.login ? yield* withTokens(fetcher, options) : fetcher }
})

/** Requests that have no credential get a token. */
const withTokens = Effect.fnUntraced(function*(
  watched: HttpFetcher.HttpFetcher,
  { name, url }: Options
): Effect.fn.Return<HttpFetcher.HttpFetcher, never, Scope.Scope> {
  const [ClientAuthorization, tokens, { explain }] = yield* Effect.promise(() =>
    Promise.all([
      import("@parley/oauth/ClientAuthorization"),
      import("../mcp/account/tokens.ts"),
      import("../mcp/failures.ts")
    ])
  )
  const authorized = yield* ClientAuthorization.makeFetcher(watched, { ...tokens.authorization(), url })
  /** What is missing, in words that say how to sign in. */
  const explained = (error: Disconnected): Disconnected => {
    const failure = ClientAuthorization.failureOf(error)
    if (failure === undefined) return error
    const cause = new Error(explain(failure, name).message)
    return new Disconnected({ reason: { _tag: "Open", cause }, sent: false })
  }
  return {
    fetch: (request) =>
      request.headers?.["authorization"] === undefined
        ? Effect.mapError(authorized.fetch(request), explained)
        : watched.fetch(request)
  }
})
