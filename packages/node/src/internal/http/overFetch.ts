/**
 * The fetcher of runtimes whose undici does not dispatch: Bun replaces it with a part of it. Their `fetch` keeps
 * the connections by itself.
 */
import { HttpFetcher } from "@parley/http/shared/client"
import type * as Transport from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import { Pool } from "undici"
import { clientOptions } from "../tls.ts"
import type { Options } from "./undici.ts"

/** Whether undici is all here. */
export const isUndici: boolean = "dispatch" in Pool.prototype

/** Fetches with the certificates of the options. */
export const make = (options: Options): Effect.Effect<HttpFetcher.HttpFetcher, Transport.TransportError> =>
  Effect.gen(function*() {
    // Bun's `fetch` takes the options of a TLS connection.
    const init: RequestInit & { tls?: object } = options.tls === undefined
      ? {}
      : { tls: yield* clientOptions(options.tls) }
    const fetcher = yield* Effect.provide(HttpFetcher.make(options), FetchHttpClient.layer)
    return {
      fetch: (request) =>
        fetcher.fetch(request).pipe(
          Effect.provideService(FetchHttpClient.RequestInit, init),
          Effect.provideService(HttpClient.TracerDisabledWhen, () => true)
        )
    }
  })
