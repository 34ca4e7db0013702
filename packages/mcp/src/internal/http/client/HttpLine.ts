/**
 * HTTP to one server: where to, with which headers, in which session.
 *
 * Redirects are followed where they keep the method and stay at the same origin.
 * Headers go to no other origin, since they may hold credentials.
 */
import { HttpFetcher } from "@parley/http/shared/client"
import type { Disconnected } from "@parley/peer/Caller"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { RevisionCodec } from "../../../wire/RevisionCodec.ts"
import { sessionHeader, versionHeader } from "../headers.ts"

export type Headers = Readonly<Record<string, string>>

export interface Options {
  readonly fetcher: HttpFetcher.HttpFetcher
  readonly url: URL
  /** Bytes of an answer, and characters of an event. */
  readonly frame: number
  /** Headers of every request, asked for each time. */
  readonly headers: Effect.Effect<Headers> | undefined
}

export interface HttpLine {
  readonly url: URL
  readonly frame: number
  /** The revision that was agreed on. */
  codec: RevisionCodec | undefined
  /** The id that the server gave to the session. */
  session: string | undefined
  /** Sends a request with the headers of the line and those given. Closing the Scope gives up what was not read. */
  readonly fetch: (
    method: string,
    headers: Headers,
    body?: string,
    url?: URL
  ) => Effect.Effect<HttpFetcher.Response, Disconnected, Scope.Scope>
}

/** Redirects in a row, of which one is common: a slash at the end. */
const most = 5

export const make = ({ fetcher, frame, headers: asked, url: start }: Options): HttpLine => {
  const line: HttpLine = {
    url: start,
    frame,
    codec: undefined,
    session: undefined,
    fetch: (method, headers, body, url = start) => {
      const send = (everyones: Headers) => go(method, url, { ...everyones, ...ofSession(), ...headers }, body, most)
      return asked === undefined ? send(none) : Effect.flatMap(asked, (own) => send(HttpFetcher.lowerCased(own)))
    }
  }

  const ofSession = (): Headers => {
    const { session, codec } = line
    const version = codec?.features.protocolVersionHeader === "afterInitialize"
      ? { [versionHeader]: codec.revision }
      : none
    return session === undefined ? version : { ...version, [sessionHeader]: session }
  }

  const go = (
    method: string,
    url: URL,
    headers: Headers,
    body: string | undefined,
    left: number
  ): Effect.Effect<HttpFetcher.Response, Disconnected, Scope.Scope> =>
    Effect.flatMap(
      fetcher.fetch({ method, url, headers, ...(body === undefined ? {} : { body }) }),
      (response) => {
        const next = left === 0 ? undefined : targetOf(response, url)
        return next === undefined
          ? Effect.succeed(response)
          : Effect.andThen(response.read(() => undefined), go(method, next, headers, body, left - 1))
      }
    )

  return line
}

export const none: Headers = {}

/** Where a redirect leads that may be followed. */
const targetOf = ({ header, status }: HttpFetcher.Response, from: URL): URL | undefined => {
  const location = status === 307 || status === 308 ? header("location") : undefined
  const target = location === undefined ? null : URL.parse(location, from)
  return target?.origin === from.origin ? target : undefined
}
