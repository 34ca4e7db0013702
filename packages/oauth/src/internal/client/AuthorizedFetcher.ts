/**
 * A fetcher that sends the tokens of a session with each request to its server, and gets others where the server wants.
 *
 * A request is sent again at most once for each kind of refusal: a nonce for the proof of its key, a token that is not
 * good, whether somebody else has stored it or it is new, and scopes that are missing. Only a POST may ask a person:
 * streams are opened again for ever.
 */
import { HttpFetcher } from "@parley/http/shared/client"
import { Disconnected } from "@parley/peer/Caller"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import type { AuthorizationError } from "../../AuthorizationError.ts"
import * as Challenge from "./Challenge.ts"
import { type Realm, without } from "./Realm.ts"
import * as Session from "./Session.ts"

type Headers = Readonly<Record<string, string>>

/** Why a request was sent again. */
interface Tried {
  readonly nonce: boolean
  /** With which other token: one that was found in the store, or one that was new. */
  readonly token: "none" | "found" | "new"
  readonly scopes: boolean
}

/** Bytes of a refusal that are read, so that its connection can be used again. */
const mostBytes = 65_536

/** How long they may take. */
const patience = Duration.seconds(1)

/** A fetcher, and the token that its requests carry now. @internal */
export const make = Effect.fnUntraced(function*(
  fetcher: HttpFetcher.HttpFetcher,
  realm: Realm,
  options: Session.Options
): Effect.fn.Return<HttpFetcher.HttpFetcher & { readonly token: Session.Session["held"] }, never, Scope.Scope> {
  const session = yield* Session.make(realm, options)

  const headersOf = (request: HttpFetcher.Request, ready: Session.Ready | undefined): Effect.Effect<Headers> => {
    if (ready === undefined) return Effect.succeed({})
    const { key, tokens: { accessToken: token } } = ready
    const text = Redacted.value(token)
    if (key === undefined) return Effect.succeed({ authorization: `Bearer ${text}` })
    const { method } = request
    return Effect.map(key.prove({ method, url: new URL(request.url), token }), (dpop) => ({
      authorization: `DPoP ${text}`,
      dpop
    }))
  }

  const attempt = Effect.fnUntraced(function*(
    request: HttpFetcher.Request,
    ready: Session.Ready | undefined,
    tried: Tried
  ): Effect.fn.Return<HttpFetcher.Response, AuthorizationError | Disconnected, Scope.Scope> {
    const headers = { ...request.headers, ...yield* headersOf(request, ready) }
    const scope = yield* Scope.fork(yield* Effect.scope)
    const response = yield* Scope.provide(fetcher.fetch({ ...request, headers }), scope)
    const isNewNonce = ready?.key?.hear(new URL(request.url), response.header("dpop-nonce")) === true
    const again = nextOf(request, ready, tried, response, isNewNonce)
    if (again === undefined) return response
    yield* Effect.ignore(Effect.timeout(HttpFetcher.text(response, mostBytes), patience))
    yield* Scope.close(scope, Exit.void)
    return yield* again
  })

  /** The next step where an answer is a refusal for want of a token; `undefined` for others. */
  const nextOf = (
    request: HttpFetcher.Request,
    ready: Session.Ready | undefined,
    tried: Tried,
    response: HttpFetcher.Response,
    isNewNonce: boolean
  ): Effect.Effect<HttpFetcher.Response, AuthorizationError | Disconnected, Scope.Scope> | undefined => {
    const { status } = response
    if (status !== 401 && status !== 403) return undefined
    const header = response.header("www-authenticate")
    const challenge = Challenge.ofToken(header)
    // A server that wants another credential has no use for a token.
    if (header !== undefined && challenge === undefined) return undefined
    const used = ready?.tokens
    const need: Session.Need = { used, challenge, mayAsk: request.method === "POST" }
    if (status === 401) {
      // Another request may have heard the nonce that this one lacked.
      const lacksNonce = isNewNonce || challenge?.error === "use_dpop_nonce"
      if (lacksNonce && ready?.key !== undefined && !tried.nonce) {
        return attempt(request, ready, { ...tried, nonce: true })
      }
      if (used === undefined || tried.token !== "new") {
        return Effect.flatMap(session.renew(need), (other) => {
          // A second one from the store counts as new: others may store bad ones for ever.
          const token = other.asked === undefined && tried.token === "none" ? "found" : "new"
          return attempt(request, other, { ...tried, token, nonce: false })
        })
      }
      const description = challenge?.description === undefined
        ? undefined
        : without(challenge.description, [Redacted.value(used.accessToken)])
      return realm.fail({ _tag: "Rejected", issuer: used.issuer, ...(description !== undefined && { description }) })
    }
    if (challenge?.error !== "insufficient_scope") return undefined
    return tried.scopes
      ? realm.fail({ _tag: "InsufficientScope", scopes: challenge.scopes ?? [] })
      : Effect.flatMap(session.renew(need), (ready) => attempt(request, ready, { ...tried, scopes: true }))
  }

  return {
    token: session.held,
    fetch: (request) =>
      // The tokens are for this server alone.
      new URL(request.url).origin === realm.server.origin
        ? Effect.mapError(
          Effect.flatMap(session.current(request.method === "POST"), (ready) => attempt(request, ready, untried)),
          (error) =>
            error._tag === "Disconnected"
              ? error
              : new Disconnected({ reason: { _tag: "Open", cause: error }, sent: false })
        )
        : fetcher.fetch(request)
  }
})

const untried: Tried = { nonce: false, token: "none", scopes: false }
