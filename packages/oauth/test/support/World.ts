/**
 * A resource server and an authorization server in memory, behind one fetcher. Refresh tokens are good once: a client
 * that uses one again loses all.
 */
import type { HttpFetcher } from "@parley/http/shared/client"
import type { ClientAuthorization } from "@parley/oauth/ClientAuthorization"
import * as Grant from "@parley/oauth/Grant"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"

export interface Seen {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The body as a form. */
  readonly form: Readonly<Record<string, string>>
  readonly addresses: string | undefined
}

export interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly text?: string
}

export type Route = (seen: Seen) => Answer | Effect.Effect<Answer, never>

const missing: Route = () => ({ status: 404 })

export const server = "https://mcp.example/mcp"
export const issuer = "https://as.example"

const metadataOf = (server: string) => server.replace(/\/mcp$/, "/.well-known/oauth-protected-resource/mcp")

export const challenge = (more = "", of = server) => ({
  status: 401,
  headers: { "www-authenticate": `Bearer resource_metadata="${metadataOf(of)}"${more}` }
})

export class World {
  readonly server: string
  readonly issuer: string
  readonly seen: Array<Seen> = []
  /** The pages that a person was shown. */
  readonly asked: Array<Grant.AuthorizationRequest> = []
  /** Access tokens that the resource server takes, with their scopes. */
  readonly valid = new Map<string, ReadonlyArray<string>>()
  /** Scopes that a request to the resource server needs. */
  needed: ReadonlyArray<string> = []
  /** How the resource server answers a call that it takes; by default every method has an empty result. */
  answer: (method: string, id: number) => Answer = (_, id) => ({ json: { jsonrpc: "2.0", id, result: {} } })
  readonly #codes = new Map<string, URLSearchParams>()
  readonly #refresh = new Set<string>()
  #count = 0

  readonly resource: Record<string, unknown>
  readonly metadata: Record<string, unknown>
  /** Answers by the URL without its query. */
  readonly routes: Record<string, Route>

  constructor(at = server, by = issuer) {
    this.server = at
    this.issuer = by
    this.resource = { resource: at, authorization_servers: [by] }
    this.metadata = {
      issuer: by,
      authorization_endpoint: `${by}/authorize`,
      token_endpoint: `${by}/token`,
      registration_endpoint: `${by}/register`,
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none"]
    }
    this.routes = {
      [at]: (seen) => this.#serve(seen),
      [metadataOf(at)]: () => ({ json: this.resource }),
      [`${by}/.well-known/oauth-authorization-server`]: () => ({ json: this.metadata }),
      [`${by}/register`]: () => ({ status: 201, json: { client_id: `client-${++this.#count}` } }),
      // A person opens the page, and agrees.
      [`${by}/authorize`]: ({ url }) => ({ status: 302, headers: { location: this.agree({ url: url.href }).href } }),
      [`${by}/token`]: (seen) => this.#issue(seen)
    }
  }

  readonly fetcher: HttpFetcher.HttpFetcher = {
    fetch: ({ addresses, body = "", headers = {}, method, url }) =>
      Effect.suspend(() => {
        const at = new URL(url)
        const form = Object.fromEntries(new URLSearchParams(body))
        const seen = { method, url: at, headers, body, form, addresses }
        this.seen.push(seen)
        const answer = (this.routes[`${at.origin}${at.pathname}`] ?? missing)(seen)
        return Effect.map(Effect.isEffect(answer) ? answer : Effect.succeed(answer), responseOf)
      })
  }

  /** How a person decides: at once, and in favour. */
  readonly authorize = (request: Grant.AuthorizationRequest): Effect.Effect<URL, Error> =>
    Effect.sync(() => {
      this.asked.push(request)
      return this.agree(request)
    })

  agree({ url }: { readonly url: string }): URL {
    const { searchParams } = new URL(url)
    const code = `code-${++this.#count}`
    this.#codes.set(code, searchParams)
    const back = new URL(searchParams.get("redirect_uri") ?? "")
    back.searchParams.set("code", code)
    back.searchParams.set("state", searchParams.get("state") ?? "")
    return back
  }

  readonly grant = (more: Partial<Grant.AuthorizationCode> = {}): Grant.Grant =>
    Grant.authorizationCode({ redirectUri: "http://127.0.0.1:7/callback", authorize: this.authorize, ...more })

  readonly auth = (more: Partial<ClientAuthorization> = {}): ClientAuthorization => ({ grant: this.grant(), ...more })

  /** Lets a path of the authorization server answer in another way, with the one before at hand. Gives what undoes it. */
  replace(path: string, route: (seen: Seen, before: Route) => ReturnType<Route>): () => void {
    const url = `${this.issuer}${path}`
    const before = this.routes[url] ?? missing
    this.routes[url] = (seen) => route(seen, before)
    return () => {
      this.routes[url] = before
    }
  }

  /** The requests to a path of the authorization server. */
  to(path: string): ReadonlyArray<Seen> {
    return this.seen.filter(({ url }) => url.href === `${this.issuer}${path}`)
  }

  readonly tokens = () => this.to("/token").map(({ form }) => form["grant_type"])

  #serve({ headers, body, method }: Seen): Answer {
    const scopes = this.valid.get(headers["authorization"] ?? "")
    if (scopes === undefined) return challenge("", this.server)
    if (!this.needed.every((scope) => scopes.includes(scope))) {
      return {
        ...challenge(`, error="insufficient_scope", scope="${this.needed.join(" ")}"`, this.server),
        status: 403
      }
    }
    if (method !== "POST") return { status: 405 }
    const { id, method: called } = JSON.parse(body) as { readonly id?: number; readonly method: string }
    return id === undefined ? { status: 202 } : this.answer(called, id)
  }

  #issue({ form }: Seen): Answer {
    const refused = { status: 400, json: { error: "invalid_grant", error_description: "it is no good" } }
    if (form["grant_type"] === "authorization_code") {
      const code = this.#codes.get(form["code"] ?? "")
      this.#codes.delete(form["code"] ?? "")
      const verified = createHash("sha256").update(form["code_verifier"] ?? "").digest("base64url")
      if (code?.get("code_challenge") !== verified || code.get("resource") !== form["resource"]) return refused
      return { json: this.give(code.get("scope") ?? "") }
    }
    if (form["grant_type"] === "refresh_token") {
      if (this.#refresh.delete(form["refresh_token"] ?? "")) return { json: this.give("") }
      this.#refresh.clear()
      this.valid.clear()
      return refused
    }
    return form["grant_type"] === "client_credentials" ? { json: this.give(form["scope"] ?? "") } : refused
  }

  /** New tokens, which are good for a minute. */
  give(scope: string) {
    const count = ++this.#count
    this.valid.set(`Bearer access-${count}`, scope.split(" "))
    this.#refresh.add(`refresh-${count}`)
    return {
      access_token: `access-${count}`,
      token_type: "Bearer",
      expires_in: 60,
      refresh_token: `refresh-${count}`,
      ...(scope !== "" && { scope })
    }
  }
}

const responseOf = ({ headers = {}, json, status = 200, text = "" }: Answer): HttpFetcher.Response => {
  const body = new TextEncoder().encode(json === undefined ? text : JSON.stringify(json))
  const all: Readonly<Record<string, string>> = { "content-type": "application/json", ...headers }
  return {
    status,
    header: (name) => all[name],
    read: (take) => Effect.suspend(() => take(body) ?? Effect.void)
  }
}
