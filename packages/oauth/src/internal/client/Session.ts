/**
 * The tokens of one client for one resource server: which it has now, and how it gets others.
 *
 * A request that needs other tokens waits for the run that gets them. A run holds the lock of the tokens, and looks first
 * whether somebody else, perhaps in another process, has got some meanwhile.
 *
 * ```
 *   lock → others are stored → take them
 *        → the issuer is the same, and there is a refresh token → refresh
 *             it passes (network, fault)      → fail, and keep what is stored
 *             the server refuses that token   → forget it, and go on
 *        → grant, of a person or of our own credentials → store
 * ```
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import type { AuthorizationError, Reason } from "../../AuthorizationError.ts"
import type { Grant } from "../../Grant.ts"
import * as SharedRun from "../../shared/SharedRun.ts"
import type { TokenStore } from "../../TokenStore.ts"
import { isSameIssuer } from "../Metadata.ts"
import type { TokenChallenge } from "./Challenge.ts"
import * as discovery from "./discovery.ts"
import * as DpopKey from "./DpopKey.ts"
import * as grants from "./grants.ts"
import type { Realm } from "./Realm.ts"
import * as registration from "./registration.ts"
import { keyOf, locked, type Tokens, tokensOf } from "./Tokens.ts"

/** A token that is ready to be sent. */
export interface Ready {
  readonly tokens: Tokens
  readonly key: DpopKey.DpopKey | undefined
  /** The scopes that it was asked for with; `undefined` where it was found in the store. */
  readonly asked: ReadonlyArray<string> | undefined
}

/** How a client gets its tokens, and keeps them. */
export interface Options {
  readonly grant: Grant
  readonly store: TokenStore
  /** The scopes to ask for, instead of those that the server names. */
  readonly scopes: ReadonlyArray<string> | undefined
  /** Whether tokens are bound to a key; `undefined` where the server decides. */
  readonly dpop: boolean | undefined
  /** Goes around the grant of new tokens, for which a person may be asked. */
  readonly whileGranting: <A, E>(grant: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

/** Why other tokens are needed. */
export interface Need {
  /** The tokens that were sent, if any. */
  readonly used: Tokens | undefined
  readonly challenge: TokenChallenge | undefined
  /** Whether a person may be asked. */
  readonly mayAsk: boolean
}

export interface Session {
  /** The tokens to send; `undefined` where there are none. */
  readonly current: (mayAsk: boolean) => Effect.Effect<Ready | undefined, AuthorizationError>
  /** Gets others. */
  readonly renew: (need: Need) => Effect.Effect<Ready, AuthorizationError>
  /** The access token that is used now, if there is one. */
  readonly held: () => Redacted.Redacted | undefined
}

/** How many scopes a token is asked for because requests were refused. */
const mostWanted = 256

/** @internal */
export const make = Effect.fnUntraced(function*(
  realm: Realm,
  options: Options
): Effect.fn.Return<Session, never, Scope.Scope> {
  const { dpop, grant, store, whileGranting } = options
  const scope = yield* Effect.scope
  const kept = tokensOf(realm, store)
  /** The tokens that were read last. */
  let found: Tokens | undefined
  /** Tokens that the store has not taken yet, and those before them, which may be of no use any more. */
  let unsaved: { readonly tokens: Tokens; readonly before: Tokens | undefined } | undefined
  const stored = Effect.flatMap(kept.get, (tokens) => {
    found = tokens
    const own = unsaved
    if (own === undefined) return Effect.succeed(tokens)
    if (isSame(tokens, own.before)) return written(own.tokens)
    // Somebody else has stored others, or removed these.
    unsaved = undefined
    return Effect.succeed(tokens)
  })
  const written = (tokens: Tokens) =>
    Effect.map(kept.set(tokens), () => {
      unsaved = undefined
      return found = tokens
    })
  /** The stored tokens, unless they were issued to another client than the one that is named. */
  const ours = Effect.map(
    stored,
    (tokens) => grant.client === undefined || grant.client.clientId === tokens?.clientId ? tokens : undefined
  )
  const running = new Map<string, Effect.Effect<Ready, AuthorizationError>>()
  let ready: Ready | undefined
  let isLoaded = false
  /** Scopes that requests were refused for. They are asked for from then on. */
  const wanted = new Set<string>()

  /** Wants a scope from now on. A server may name others each time, so the oldest go. */
  const want = (name: string) => {
    wanted.delete(name)
    wanted.add(name)
    const [oldest = name] = wanted
    if (wanted.size > mostWanted) wanted.delete(oldest)
  }

  const hold = (tokens: Tokens, key: DpopKey.DpopKey | undefined, asked: Ready["asked"]): Ready => {
    isLoaded = true
    return ready = { tokens, key, asked }
  }

  /** The key that tokens are bound to. One that we have knows the nonces of the servers. */
  const keyOfTokens = ({ key }: Tokens): Effect.Effect<DpopKey.DpopKey | undefined> => {
    if (key === undefined) return Effect.undefined
    const known = ready?.key
    return known !== undefined && Redacted.value(known.text) === Redacted.value(key)
      ? Effect.succeed(known)
      : DpopKey.fromText(key)
  }

  const take = (tokens: Tokens) =>
    Effect.map(
      keyOfTokens(tokens),
      (key) => hold(tokens, key, isSame(ready?.tokens, tokens) ? ready?.asked : undefined)
    )

  const load = Effect.flatMap(ours, (tokens): Effect.Effect<Ready | undefined> => {
    // A faster request may have got others since.
    if (isLoaded) return Effect.succeed(ready)
    if (tokens !== undefined) return take(tokens)
    isLoaded = true
    return Effect.undefined
  })

  /** The key for other tokens: that of the stored ones, or where tokens are to be bound, a new one. */
  const keyFor = (
    { isDpopRequired, server }: discovery.Authority,
    stored: Tokens | undefined
  ): Effect.Effect<DpopKey.DpopKey | undefined, AuthorizationError> => {
    if (stored?.key !== undefined) return keyOfTokens(stored)
    if (dpop === false || (dpop === undefined && !isDpopRequired)) return Effect.undefined
    const algorithm = DpopKey.algorithmFor(server.dpop_signing_alg_values_supported)
    return algorithm === undefined
      ? realm.fail({
        _tag: "Unsupported",
        issuer: server.issuer,
        rule: "it knows no algorithm for keys of tokens (DPoP) that we know"
      })
      : DpopKey.generate(algorithm)
  }

  const save = (tokens: Tokens, key: DpopKey.DpopKey | undefined, asked: ReadonlyArray<string>) =>
    Effect.suspend(() => {
      unsaved = { tokens, before: found }
      const held = hold(tokens, key, asked)
      return Effect.as(written(tokens), held)
    })

  const forget = Effect.map(kept.remove, () => {
    ready = undefined
  })

  const scopesFor = (authority: discovery.Authority, challenge: TokenChallenge | undefined): ReadonlyArray<string> => {
    const base = options.scopes ?? challenge?.scopes ?? authority.scopes ?? []
    const scopes = new Set([...base, ...wanted])
    // A person is asked seldom where access lasts.
    const isLasting = grant._tag === "AuthorizationCode" &&
      authority.server.scopes_supported?.includes("offline_access") === true
    if (scopes.size > 0 && isLasting) scopes.add("offline_access")
    return [...scopes]
  }

  const prefers = (stored: Tokens | undefined) => (issuer: string) =>
    isSameIssuer(issuer, "client" in grant ? grant.client?.issuer : undefined) || isSameIssuer(issuer, stored?.issuer)

  const run = Effect.fnUntraced(function*(
    { challenge, mayAsk, used }: Need,
    isStepUp: boolean
  ): Effect.fn.Return<Ready, AuthorizationError> {
    // A token that is not encrypted on its way is everybody's.
    yield* realm.url(realm.name)
    const stored = yield* ours
    if (stored !== undefined && !isSame(stored, used) && !(yield* isOver(stored))) {
      const missing = isStepUp ? challenge?.scopes ?? [] : []
      if (missing.every((one) => stored.scopes.includes(one))) return yield* take(stored)
    }
    const authority = yield* discovery.discover(realm, challenge, prefers(stored))
    const key = yield* keyFor(authority, stored)
    const context: grants.Context = { realm, store, grant, authority, key }
    if (!isStepUp && stored?.refreshToken !== undefined && isSameIssuer(stored.issuer, authority.server.issuer)) {
      const refreshed = yield* refresh(context, stored, stored.refreshToken)
      if (refreshed !== undefined) return refreshed
    }
    const scopes = scopesFor(authority, challenge)
    // Where nobody can be asked, nothing is registered either.
    if (grant._tag === "AuthorizationCode" && (!mayAsk || grant.authorize === undefined)) {
      return yield* realm.fail({ _tag: "Required", ...(isStepUp && { scopes }) })
    }
    // A person may take minutes, and every call of the client waits for the same.
    const tokens = yield* whileGranting(grants.obtain(context, scopes))
    return yield* save(tokens, key, scopes)
  })

  /**
   * Gives `undefined` where the refresh token is of no use. A client that closes waits for it: the token may be good once,
   * and then only this answer has the next one.
   */
  const refresh = (context: grants.Context, stored: Tokens, refreshToken: Redacted.Redacted) =>
    grants.refresh(context, stored, refreshToken).pipe(
      Effect.flatMap((tokens) => save(tokens, context.key, ready?.asked ?? [])),
      Effect.catch((error): Effect.Effect<Ready | undefined, AuthorizationError> => {
        const { reason } = error
        if (reason._tag !== "Refused" || isOfAnother(reason)) return Effect.fail(error)
        const unregister = registration.isUnknown(reason)
          ? registration.forget(realm, store, stored.issuer, stored.clientId)
          : Effect.void
        return Effect.andThen(
          unregister,
          Effect.flatMap(ours, (now): Effect.Effect<Ready | undefined, AuthorizationError> => {
            // A store whose lock holds in one process only: another was faster, and has the new ones.
            if (now !== undefined && !isSame(now, stored)) return take(now)
            return Effect.as(reason.error === "invalid_grant" ? forget : Effect.void, undefined)
          })
        )
      }),
      Effect.uninterruptible
    )

  const shared = (name: string, effect: Effect.Effect<Ready, AuthorizationError>) =>
    Effect.suspend(() => {
      const known = running.get(name)
      if (known !== undefined) return known
      const made = SharedRun.make(
        scope,
        Effect.ensuring(locked(realm, store, keyOf(realm), effect), Effect.sync(() => running.delete(name)))
      )
      running.set(name, made)
      return made
    })

  const renew = (need: Need): Effect.Effect<Ready, AuthorizationError> =>
    Effect.suspend(() => {
      const { challenge, mayAsk, used } = need
      const token = used === undefined ? "" : Redacted.value(used.accessToken)
      if (challenge?.error !== "insufficient_scope") return shared(`${mayAsk} ${token}`, run(need, false))
      const missing = challenge.scopes ?? []
      for (const one of [...used?.scopes ?? [], ...missing]) want(one)
      // Scopes that were asked for in vain are not asked for again.
      return isSame(ready?.tokens, used) && missing.every((one) => ready?.asked?.includes(one))
        ? realm.fail({ _tag: "InsufficientScope", scopes: missing })
        : shared(`${mayAsk} ${token} ${[...wanted].toSorted().join(" ")}`, run(need, true))
    })

  const current = (mayAsk: boolean): Effect.Effect<Ready | undefined, AuthorizationError> =>
    Effect.flatMap(
      Effect.suspend((): Effect.Effect<Ready | undefined, AuthorizationError> =>
        isLoaded ? Effect.succeed(ready) : load
      ),
      (now) => {
        if (now?.tokens.renew === undefined) return Effect.succeed(now)
        return Effect.flatMap(isOver(now.tokens), (isOver): Effect.Effect<Ready | undefined, AuthorizationError> => {
          if (!isOver) return Effect.succeed(now)
          // The server's challenge is of use to a person who is asked, so nobody is asked before it has come.
          if (now.tokens.refreshToken === undefined) return Effect.undefined
          return Effect.catch(
            renew({ used: now.tokens, challenge: undefined, mayAsk: false }),
            (error): Effect.Effect<Ready | undefined, AuthorizationError> =>
              error.reason._tag === "Required" && mayAsk
                ? Effect.undefined
                : error.reason._tag === "Unavailable" || isOfAnother(error.reason)
                // It may be good until its end, and else the server says so.
                ? Effect.succeed(now)
                : Effect.fail(error)
          )
        })
      }
    )

  return { current, renew, held: () => ready?.tokens.accessToken }
})

const isSame = (one: Tokens | undefined, other: Tokens | undefined): boolean =>
  one === other || (one !== undefined && other !== undefined &&
    Redacted.value(one.accessToken) === Redacted.value(other.accessToken))

/** Whether an answer is none of OAuth, as the page of a proxy: it says nothing of the refresh token. */
const isOfAnother = (reason: Reason): boolean =>
  reason._tag === "Refused" && reason.status !== undefined && reason.status !== 400 && reason.status !== 401

const isOver = ({ renew }: Tokens): Effect.Effect<boolean> =>
  renew === undefined ? Effect.succeed(false) : Effect.map(Clock.currentTimeMillis, (now) => renew <= now)
