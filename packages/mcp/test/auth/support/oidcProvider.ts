/**
 * A real authorization server, `oidc-provider`, a server of MCP that takes its tokens, and a person who agrees. All
 * listen on this machine.
 */
import { Effect, type Scope } from "effect"
import { jwtVerify } from "jose/jwt/verify"
import { exportJWK } from "jose/key/export"
import { generateKeyPair } from "jose/key/generate/keypair"
import { once } from "node:events"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
// @ts-expect-error the package has no types
import OidcProvider from "oidc-provider"

export interface Served {
  readonly server: string
  readonly issuer: string
  /** The kinds of tokens that were asked for. */
  readonly grants: Array<string>
  /** Tokens that were issued so far are refused from now on. */
  readonly refuseOlder: () => void
  /** The schemes of the credentials that the server of MCP was sent. */
  readonly schemes: Set<string>
}

const scopes = "notes:read notes:write"

const listen = Effect.acquireRelease(
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

// They listen at ports.
const originOf = (server: http.Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const json = (response: http.ServerResponse, status: number, value: unknown, headers = {}) =>
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value))

export const serve: Effect.Effect<Served, never, Scope.Scope> = Effect.gen(function*() {
  const [theirs, ours] = [yield* listen, yield* listen]
  const issuer = originOf(theirs)
  const server = `${originOf(ours)}/mcp`
  const { privateKey, publicKey } = yield* Effect.promise(() => generateKeyPair("ES256", { extractable: true }))
  const key = yield* Effect.promise(() => exportJWK(privateKey))
  const provider = new OidcProvider(issuer, {
    jwks: { keys: [{ ...key, kid: "one", alg: "ES256", use: "sig" }] },
    cookies: { keys: ["a key of cookies"] },
    clientDefaults: { id_token_signed_response_alg: "ES256" },
    enabledJWA: { idTokenSigningAlgValues: ["ES256"] },
    clients: [{
      client_id: "machine",
      client_secret: "a secret of thirty-two characters",
      grant_types: ["client_credentials"],
      redirect_uris: [],
      response_types: []
    }],
    scopes: ["openid", "offline_access", ...scopes.split(" ")],
    findAccount: (_: unknown, accountId: string) => ({ accountId, claims: () => ({ sub: accountId }) }),
    interactions: { url: (_: unknown, { uid }: { readonly uid: string }) => `/interaction/${uid}` },
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      ClientCredentials: 600,
      Grant: 600,
      IdToken: 600,
      Interaction: 600,
      RefreshToken: 600,
      Session: 600
    },
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      dPoP: { enabled: true },
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_: unknown, resource: string) => ({
          scope: scopes,
          audience: resource,
          accessTokenFormat: "jwt",
          jwt: { sign: { alg: "ES256" } }
        })
      }
    }
  })
  const grants: Array<string> = []
  provider.on(
    "grant.success",
    ({ oidc }: { readonly oidc: { readonly params: { readonly grant_type: string } } }) =>
      grants.push(oidc.params.grant_type)
  )
  const answer: http.RequestListener = provider.callback()
  theirs.on("request", (request, response) => {
    if (request.url?.startsWith("/interaction/") === true) {
      agree(provider, request, response).catch(() => response.destroy())
    } else answer(request, response)
  })

  const schemes = new Set<string>()
  const refused = new Set<string>()
  const seen = new Set<string>()
  ours.on("request", async (request, response) => {
    const place = `${originOf(ours)}/.well-known/oauth-protected-resource/mcp`
    if (request.url !== "/mcp") {
      return place.endsWith(request.url ?? "") && request.url !== "/"
        ? json(response, 200, {
          resource: server,
          authorization_servers: [issuer],
          scopes_supported: scopes.split(" ")
        })
        : json(response, 404, {})
    }
    const [scheme = "", token = ""] = (request.headers.authorization ?? "").split(" ")
    const isGood = !refused.has(token) &&
      await jwtVerify(token, publicKey, { issuer, audience: server }).then(() => true, () => false)
    if (!isGood) return json(response, 401, {}, { "www-authenticate": `Bearer resource_metadata="${place}"` })
    schemes.add(scheme)
    seen.add(token)
    if (request.method !== "POST") return response.writeHead(405).end()
    let text = ""
    for await (const chunk of request) text += chunk
    const { id, method, params } = JSON.parse(text)
    if (method === "server/discover") return json(response, 400, {})
    if (id === undefined) return response.writeHead(202).end()
    const result = method === "initialize"
      ? { protocolVersion: params.protocolVersion, capabilities: {}, serverInfo: { name: "notes", version: "1" } }
      : {}
    return json(response, 200, { jsonrpc: "2.0", id, result })
  })
  return {
    server,
    issuer,
    grants,
    schemes,
    refuseOlder: () => seen.forEach((token) => refused.add(token))
  }
})

/** Ada signs in, and grants what is asked. */
const agree = async (provider: typeof OidcProvider, request: http.IncomingMessage, response: http.ServerResponse) => {
  const { grantId, params, prompt, session } = await provider.interactionDetails(request, response)
  const finish = (result: object) =>
    provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true })
  if (prompt.name === "login") return finish({ login: { accountId: "ada" } })
  const grant = grantId === undefined
    ? new provider.Grant({ accountId: session.accountId, clientId: params.client_id })
    : await provider.Grant.find(grantId)
  const { missingOIDCScope = [], missingResourceScopes = {} } = prompt.details
  if (missingOIDCScope.length > 0) grant.addOIDCScope(missingOIDCScope.join(" "))
  for (const [resource, missing] of Object.entries<ReadonlyArray<string>>(missingResourceScopes)) {
    grant.addResourceScope(resource, missing.join(" "))
  }
  return finish({ consent: { grantId: await grant.save() } })
}

/** What a browser does with a page: it follows redirects, with cookies, until it is sent back to the client. */
export const browse = (page: string, redirectUri: string): Effect.Effect<URL, Error> =>
  Effect.tryPromise({
    try: async () => {
      const cookies = new Map<string, string>()
      let at = new URL(page)
      for (let steps = 0; steps < 10 && !at.href.startsWith(redirectUri); steps++) {
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ")
        const { headers, status } = await fetch(at, { redirect: "manual", headers: { cookie } })
        for (const set of headers.getSetCookie()) {
          const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? []
          cookies.set(name, value)
        }
        const location = headers.get("location")
        if (location === null) throw new Error(`${at.href} answered ${status}`)
        at = new URL(location, at)
      }
      return at
    },
    catch: (cause) => new Error(String(cause))
  })
