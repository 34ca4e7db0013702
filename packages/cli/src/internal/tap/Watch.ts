/**
 * How the traffic of a command is watched: a transport and a fetcher that show what passes through them.
 */
import type { HttpFetcher } from "@parley/http/shared/client"
import type { Wrapping } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"

/** Shows the traffic of a transport, or of a fetcher. */
export interface Watch {
  readonly wrapping: Wrapping
  /** A fetcher that is watched. What is posted to the URL is messages. */
  readonly fetcher: (fetcher: HttpFetcher.HttpFetcher, url: string) => HttpFetcher.HttpFetcher
}

/** Watches nothing. */
export const none: Watch = { wrapping: Effect.succeed, fetcher: identity }
