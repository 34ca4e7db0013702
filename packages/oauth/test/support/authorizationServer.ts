/** A real authorization server, `oidc-provider`, on a port of this machine; and a person who agrees to everything. */
import { Effect, type Scope } from "effect"
import { exportJWK } from "jose/key/export"
import { generateKeyPair } from "jose/key/generate/keypair"
import { once } from "node:events"
import * as http from "node:http"
// @ts-expect-error the package has no types
import oidcProvider from "oidc-provider"

/** The little of it that tests use. */
interface Provider {
  readonly callback: () => http.RequestListener
  readonly interactionDetails: (request: http.IncomingMessage, response: http.ServerResponse) => Promise<Interaction>
  readonly interactionFinished: (
    request: http.IncomingMessage,
    response: http.ServerResponse,
    result: object,
    options: { readonly mergeWithLastSubmission: boolean }
  ) => Promise<void>
  readonly Grant: {
    new(owner: { readonly accountId: string | undefined; readonly clientId: string }): Grant
    readonly find: (id: string) => Promise<Grant | undefined>
  }
}

interface Interaction {
  readonly prompt: {
    readonly name: string
    readonly details: {
      readonly missingOIDCScope?: ReadonlyArray<string>
      readonly missingResourceScopes?: Readonly<Record<string, ReadonlyArray<string>>>
    }
  }
  readonly params: { readonly client_id: string }
  readonly session?: { readonly accountId: string }
  readonly grantId?: string
}

interface Grant {
  readonly addOIDCScope: (scope: string) => void
  readonly addResourceScope: (resource: string, scope: string) => void
  readonly save: () => Promise<string>
}

const Provider: new(issuer: string, configuration: object) => Provider = oidcProvider

export interface AuthorizationServer {
  readonly issuer: string
}

/** The client by which the resource asks about tokens, and by which a program gets tokens of its own. */
export const machine = { id: "machine", secret: "a secret of thirty-two characters" }

/**
 * The client of a person. It is known beforehand: the official clients register for the scopes that they are first asked
 * for, and this server then grants no others.
 */
export const person = "person"

export const redirectUri = "http://127.0.0.1:9/callback"

const configuration = async (format: "jwt" | "opaque", seconds: number) => {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true })
  return {
    jwks: { keys: [{ ...await exportJWK(privateKey), kid: "one", alg: "ES256", use: "sig" }] },
    cookies: { keys: ["a key of cookies"] },
    clients: [{
      client_id: machine.id,
      client_secret: machine.secret,
      grant_types: ["client_credentials"],
      redirect_uris: [],
      response_types: [],
      id_token_signed_response_alg: "ES256"
    }, {
      client_id: person,
      application_type: "native",
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code"],
      redirect_uris: [redirectUri],
      response_types: ["code"]
    }],
    clientDefaults: { id_token_signed_response_alg: "ES256" },
    enabledJWA: { idTokenSigningAlgValues: ["ES256"] },
    scopes: ["openid", "offline_access", "files:read", "files:write"],
    findAccount: (_: unknown, accountId: string) => ({ accountId, claims: () => ({ sub: accountId }) }),
    interactions: { url: (_: unknown, { uid }: { readonly uid: string }) => `/interaction/${uid}` },
    ttl: {
      AccessToken: seconds,
      AuthorizationCode: 60,
      ClientCredentials: 600,
      Grant: 600,
      IdToken: 600,
      Interaction: 600,
      RefreshToken: 600,
      Session: 600
    },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      dPoP: { enabled: true },
      registration: { enabled: true },
      introspection: { enabled: true, allowedPolicy: () => true },
      revocation: { enabled: true, allowedPolicy: () => true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => undefined,
        useGrantedResource: () => true,
        getResourceServerInfo: (_: unknown, resource: string) => ({
          scope: "files:read files:write",
          audience: resource,
          accessTokenFormat: format,
          jwt: { sign: { alg: "ES256" } }
        })
      }
    }
  }
}

/** An authorization server whose tokens for resources have this format, and are good for so many seconds. */
export const serve = Effect.fnUntraced(function*(
  format: "jwt" | "opaque",
  seconds = 600
): Effect.fn.Return<AuthorizationServer, never, Scope.Scope> {
  const server = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const server = http.createServer()
      server.listen(0, "127.0.0.1")
      await once(server, "listening")
      return server
    }),
    (server) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )
  const address = server.address()
  const issuer = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`
  const provider = new Provider(issuer, yield* Effect.promise(() => configuration(format, seconds)))
  const answer = provider.callback()
  server.on("request", (request, response) => {
    if (request.url?.startsWith("/interaction/") === true) agree(provider, request, response).catch(console.error)
    else answer(request, response)
  })
  return { issuer }
})

/** The person at the browser signs in, whom a cookie names, and who is Ada without one; and grants what is asked. */
const agree = async (provider: Provider, request: http.IncomingMessage, response: http.ServerResponse) => {
  const { grantId, params, prompt, session } = await provider.interactionDetails(request, response)
  const finish = (result: object) =>
    provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true })
  const accountId = /(?:^|; )person=(\w+)/.exec(request.headers.cookie ?? "")?.[1] ?? "ada"
  if (prompt.name === "login") return finish({ login: { accountId } })
  const owner = { accountId: session?.accountId, clientId: params.client_id }
  const grant = (grantId === undefined ? undefined : await provider.Grant.find(grantId)) ?? new provider.Grant(owner)
  const { missingOIDCScope = [], missingResourceScopes = {} } = prompt.details
  if (missingOIDCScope.length > 0) grant.addOIDCScope(missingOIDCScope.join(" "))
  for (const [resource, scopes] of Object.entries(missingResourceScopes)) {
    grant.addResourceScope(resource, scopes.join(" "))
  }
  return finish({ consent: { grantId: await grant.save() } })
}

/** A token that a program gets for itself. */
export const tokenFor = (issuer: string, resource: string, scope = "files:read"): Effect.Effect<string> =>
  Effect.promise(async () => {
    const response = await fetch(`${issuer}/token`, {
      method: "POST",
      headers: { authorization: `Basic ${btoa(`${machine.id}:${encodeURIComponent(machine.secret)}`)}` },
      body: new URLSearchParams({ grant_type: "client_credentials", resource, scope })
    })
    return ((await response.json()) as { readonly access_token: string }).access_token
  })

/** Visits the URL of an authorization as a browser does: follows redirects, with cookies, back to the client. */
export const visit = async (url: URL): Promise<URLSearchParams> => {
  const cookies = new Map<string, string>()
  for (let at = url, steps = 0; steps < 10; steps++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ")
    const response = await fetch(at, { redirect: "manual", headers: { cookie } })
    await response.body?.cancel()
    for (const set of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      if (value === "") cookies.delete(name)
      else cookies.set(name, value)
    }
    const location = response.headers.get("location")
    if (location === null) throw new Error(`${at.href} answered ${response.status}, and leads nowhere`)
    at = new URL(location, at)
    if (at.href.startsWith(redirectUri)) return at.searchParams
  }
  throw new Error("too many redirects")
}
