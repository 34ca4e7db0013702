/**
 * One resource server, and the bounded requests that a client makes because of it: for metadata, registrations and tokens.
 *
 * Every request has a bound in bytes, in time, and in redirects. It is encrypted, except on this machine, and leads to no
 * private address unless the resource server is at one itself. Redirects are followed for documents only, never
 * with credentials.
 */
import { Address } from "@parley/http/shared"
import { HttpFetcher } from "@parley/http/shared/client"
import { describe, type Disconnected } from "@parley/peer/Caller"
import type { Exchange } from "@parley/peer/shared"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { AuthorizationError, type Reason } from "../../AuthorizationError.ts"

export interface Options {
  readonly server: URL
  /** The resource that its metadata must be about: the server, unless the user of the client names another. */
  readonly resource: URL
  readonly fetcher: HttpFetcher.HttpFetcher
  /** Whether private addresses may be asked although the resource server is at none. */
  readonly privateAddresses: boolean
}

/** An answer as JSON; `undefined` where the body is none. */
export interface Answer {
  readonly status: number
  readonly json: unknown
  readonly header: (name: string) => string | undefined
}

export interface Realm {
  readonly server: URL
  readonly resource: URL
  /** The URL of the server as errors and keys name it. */
  readonly name: string
  readonly fail: (reason: Reason) => Effect.Effect<never, AuthorizationError>
  /** Runs an effect that the user of the client has given, and fails with `Declined` where it fails. */
  readonly consent: <A>(given: Effect.Effect<A, Error>) => Effect.Effect<A, AuthorizationError>
  /** Reads a URL that a document or a setting holds, and refuses one that may not be asked. */
  readonly url: (text: string) => Effect.Effect<URL, AuthorizationError>
  /** Reads a document. */
  readonly get: (url: URL) => Effect.Effect<Answer, AuthorizationError>
  readonly post: (
    url: URL,
    body: { readonly type: "form" | "json"; readonly text: string },
    headers?: Readonly<Record<string, string>>
  ) => Effect.Effect<Answer, AuthorizationError>
}

type Asked = Effect.Effect<Answer, AuthorizationError | Exchange.BadAnswer | Disconnected, Scope.Scope>

/** Bytes of an answer: far more than lists of scopes and algorithms take. */
const mostBytes = 262_144

const allowing = "`privateAddresses` would allow it"

/** How long a request and its answer may take. */
const patience = Duration.seconds(15)

const mostRedirects = 3

/** The URL of a server without user, password, query and fragment. @internal */
export const nameOf = ({ origin, pathname }: URL): string => `${origin}${pathname === "/" ? "" : pathname}`

/** A URL of any scheme without user, password, query and fragment. */
const shown = (url: URL): string =>
  Object.assign(new URL(url), { username: "", password: "", search: "", hash: "" }).href

/** @internal */
export const make = ({ fetcher, privateAddresses, resource, server }: Options): Realm => {
  const name = nameOf(server)
  const fail = (reason: Reason) => Effect.fail(new AuthorizationError({ server: name, reason }))
  const mayBePrivate = privateAddresses || Address.isPrivate(server.hostname)

  const url = (text: string): Effect.Effect<URL, AuthorizationError> => {
    const parsed = URL.parse(text)
    const forbid = (rule: string) => fail({ _tag: "Forbidden", url: parsed === null ? text : shown(parsed), rule })
    if (parsed === null) return forbid("it is no URL")
    if (!Address.isSecure(parsed)) return forbid("it must begin with https:, but for this machine")
    if (parsed.username !== "" || parsed.password !== "") return forbid("it holds a user or a password")
    return Address.isPrivate(parsed.hostname) && !mayBePrivate
      ? forbid(`its address is private, and that of the resource server is not; ${allowing}`)
      : Effect.succeed(parsed)
  }

  const unavailable = (url: URL, rule: string) => fail({ _tag: "Unavailable", url: nameOf(url), rule })

  const send = (request: HttpFetcher.Request & { readonly url: URL }) =>
    fetcher.fetch({
      ...request,
      headers: { accept: "application/json", ...request.headers },
      ...(mayBePrivate ? {} : { addresses: "public" as const })
    })

  const read = (response: HttpFetcher.Response) =>
    Effect.map(HttpFetcher.text(response, mostBytes), (text): Answer => ({
      status: response.status,
      json: Result.getOrUndefined(parse(text)),
      header: response.header
    }))

  const bounded = (url: URL, asked: Asked): Effect.Effect<Answer, AuthorizationError> =>
    asked.pipe(
      Effect.scoped,
      Effect.timeoutOrElse({
        duration: patience,
        orElse: () => unavailable(url, `it did not answer within ${Duration.format(patience)}`)
      }),
      Effect.catchTags({
        Disconnected: ({ reason }) =>
          reason._tag === "Open" && reason.cause instanceof Address.PrivateAddress
            ? fail({ _tag: "Forbidden", url: nameOf(url), rule: `${reason.cause.message}; ${allowing}` })
            : unavailable(url, describe(reason)),
        BadAnswer: ({ message }) => fail({ _tag: "Untrusted", source: nameOf(url), rule: message })
      })
    )

  const follow = (start: URL, left: number): Asked =>
    Effect.flatMap(send({ method: "GET", url: start }), (response) => {
      const location = redirects.has(response.status) ? response.header("location") : undefined
      if (location === undefined || left === 0) return read(response)
      const target = URL.parse(location, start)
      return Effect.flatMap(url(target?.href ?? location), (next) => follow(next, left - 1))
    })

  return {
    server,
    resource,
    name,
    fail,
    consent: Effect.catch(({ message }) => fail({ _tag: "Declined", rule: message })),
    url,
    get: (url) => bounded(url, follow(url, mostRedirects)),
    post: (url, { text, type }, headers) =>
      bounded(
        url,
        Effect.flatMap(
          send({ method: "POST", url, headers: { "content-type": contentTypes[type], ...headers }, body: text }),
          read
        )
      )
  }
}

const parse = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Unknown))

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

const contentTypes = { form: "application/x-www-form-urlencoded", json: "application/json" } as const

/** What an authorization server says that does not do what it is asked (RFC 6749, section 5.2). */
const Refusal = Schema.Struct({
  error: Schema.String,
  error_description: Schema.optionalKey(Schema.String)
})

const decodeRefusal = Schema.decodeUnknownResult(Refusal)

/** The code of OAuth in an answer. @internal */
export const codeOf = ({ json }: Answer): string | undefined => Result.getOrUndefined(decodeRefusal(json))?.error

/** Fails as an answer says that is no success, in words that hold none of the secrets that were sent. @internal */
export const refuse = (
  { fail }: Realm,
  issuer: string,
  url: string,
  { json, status }: Answer,
  secrets: ReadonlyArray<string> = []
): Effect.Effect<never, AuthorizationError> => {
  const refusal = Result.getOrUndefined(decodeRefusal(json))
  const isPassing = status === 429 || (refusal === undefined ? status >= 500 : passing.has(refusal.error))
  if (isPassing) return fail({ _tag: "Unavailable", url, rule: `it answered with HTTP status ${status}` })
  return fail({
    _tag: "Refused",
    issuer,
    error: refusal === undefined ? `with HTTP status ${status}` : without(refusal.error, secrets),
    ...(refusal === undefined && { status }),
    ...(refusal?.error_description !== undefined && { description: without(refusal.error_description, secrets) })
  })
}

/** A text of a server that may repeat what it was sent. @internal */
export const without = (text: string, secrets: ReadonlyArray<string>): string =>
  // One may be the beginning of another.
  secrets.toSorted((one, other) => other.length - one.length).reduce(
    (text, secret) => secret === "" ? text : text.replaceAll(secret, "…"),
    text
  )

/** Codes that say nothing of the request. */
const passing: ReadonlySet<string> = new Set(["server_error", "temporarily_unavailable", "slow_down"])
