/** Two users and two servers, each with its own authorization server: real ones, as is that of the gateway. */
import { assert, describe, it } from "@effect/vitest"
import type * as Audit from "@parley/mcp-gateway/Audit"
import * as McpGateway from "@parley/mcp-gateway/McpGateway"
import * as UserLogins from "@parley/mcp-gateway/UserLogins"
import * as McpHttp from "@parley/mcp/McpHttp"
import * as McpHttpClient from "@parley/mcp/McpHttpClient"
import * as McpError from "@parley/mcp/wire/McpError"
import type { Revision } from "@parley/mcp/wire/Revision"
import * as NodeHttp from "@parley/node/NodeHttp"
import { nameOf } from "@parley/oauth/AccessToken"
import * as JwtVerifier from "@parley/oauth/JwtVerifier"
import * as ResourceServer from "@parley/oauth/ResourceServer"
import * as TokenStore from "@parley/oauth/TokenStore"
import { Context, Effect, Layer, Redacted, Schedule, type Scope } from "effect"
import { protect } from "../../../mcp/test/auth/server/support/served.ts"
import { serve } from "../../../oauth/test/support/authorizationServer.ts"
import { browser } from "./support/browser.ts"

/** A gateway before two servers that know nobody but by their own authorization servers. */
const world = Effect.gen(function*() {
  const fetcher = yield* Effect.orDie(NodeHttp.makeFetcher())
  const { issuer } = yield* serve("jwt")
  // A token is renewed shortly before its end.
  const brief = { cacheFor: 0, seconds: 3 }
  const mail = yield* protect("opaque", {}, brief)
  const files = yield* protect("opaque", {}, brief)
  const verifier = yield* JwtVerifier.make(fetcher, { issuer })
  const store = TokenStore.makeMemory()
  const records: Array<Audit.AuditRecord> = []
  let logins: UserLogins.UserLogins | undefined
  const route = Layer.effectDiscard(Effect.gen(function*() {
    const { address } = yield* NodeHttp.NodeHost
    const [gateway, url] = [`${address}/mcp`, `${address}/login`]
    const own = yield* UserLogins.make({
      url,
      store,
      registration: { client_name: "gateway" },
      identify: UserLogins.byToken(fetcher, {
        gateway,
        redirectUri: url,
        store,
        registration: { client_name: "gateway" }
      })
    })
    logins = own
    const server = yield* McpGateway.make({
      name: "gateway",
      version: "1",
      logins: own,
      audit: { write: (record) => Effect.sync(() => void records.push(record)) },
      servers: Object.fromEntries(
        Object.entries({ mail, files }).map(([name, { url }]) => [
          name,
          {
            credentials: "user" as const,
            connect: (options, auth) => McpHttpClient.make(fetcher, { ...options, url: url.href, auth })
          } satisfies McpGateway.Member
        ])
      )
    })
    const auth = ResourceServer.make({ resource: gateway, verifier, required: ["files:read"] })
    const endpoint = yield* McpHttp.endpoint(server, { auth })
    yield* NodeHttp.route({
      ...endpoint,
      wellKnown: new Map([...endpoint.wellKnown ?? [], [own.path, own.endpoint]])
    }, { path: "/mcp" })
  }))
  const host = yield* Effect.orDie(Layer.build(NodeHttp.layerHost({ port: 0 }, route)))
  const { address } = Context.get(host, NodeHttp.NodeHost)
  /** A client of a person, who has signed in at the gateway. */
  const clientOf = Effect.fnUntraced(function*(person: string, revision: Revision, open?: (url: string) => void) {
    const own = browser(person)
    const redirectUri = "http://127.0.0.1:9/back"
    return yield* McpHttpClient.make(fetcher, {
      name: person,
      version: "1",
      url: `${address}/mcp`,
      protocolVersion: revision,
      cacheSize: 0,
      timeout: "1 minute",
      ...(open !== undefined && {
        handlers: { elicitUrl: ({ url }) => Effect.sync(() => (open(url), { action: "accept" as const })) }
      }),
      auth: {
        grant: {
          _tag: "AuthorizationCode",
          redirectUri,
          registration: { client_name: person },
          authorize: ({ url }) => Effect.map(own.open(url, (at) => at.href.startsWith(redirectUri)), (end) => end.url)
        }
      }
    })
  })
  // The route is built.
  const { storeOf } = logins!
  const principalOf = (person: string) => nameOf({ issuer, subject: person, clientId: "another" })
  const tokensOf = (person: string, server: string) =>
    Effect.map(
      storeOf(principalOf(person), server).get(`tokens ${{ mail, files }[server]!.url.href}`),
      (text) => JSON.parse(text === undefined ? "{}" : Redacted.value(text))
    )
  const revoke = (person: string, server: "mail" | "files") =>
    Effect.flatMap(tokensOf(person, server), (tokens) =>
      Effect.promise(async () => {
        const response = await fetch(`${{ mail, files }[server].issuer}/token/revocation`, {
          method: "POST",
          body: new URLSearchParams({ token: tokens.refreshToken, client_id: tokens.clientId })
        })
        assert.strictEqual(response.status, 200)
      }))
  return { clientOf, principalOf, records, revoke, tokensOf, issuers: { mail: mail.issuer, files: files.issuer } }
})

type Client = Effect.Success<ReturnType<Effect.Success<typeof world>["clientOf"]>>

/** Who a server sees. */
const seen = (client: Client, server: string) =>
  Effect.map(
    client.callTool(`${server}_whoami`),
    ({ content }) => JSON.parse(content[0]?.type === "text" ? content[0].text : "[]")[0]
  )

/** The page that an error asks to open. */
const pageOf = (error: unknown): string => {
  const { code, data } = Object(error)
  if (code === McpError.UrlElicitationRequired) return data.elicitations[0].url
  assert.strictEqual(code, -31006)
  return data.url
}

const names = (client: Client) => Effect.map(client.listTools(), (tools) => tools.map(({ name }) => name))

const eventually = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.retry(effect, { times: 50, schedule: Schedule.spaced("100 millis") })

const run = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) => Effect.scoped(effect)

describe("users with tokens of their own", () => {
  it.live.each(["2025-11-25", "2026-07-28"] as const)(
    "act each with their own at each server, through refresh and revocation: %s",
    (revision) =>
      run(Effect.gen(function*() {
        const { clientOf, principalOf, records, revoke, tokensOf, issuers } = yield* world
        const people = { ada: browser("ada"), eve: browser("eve") }
        const ada = yield* clientOf("ada", revision)
        const eve = yield* clientOf("eve", revision)
        assert.sameMembers(yield* names(ada), ["mail_sign_in", "files_sign_in"])
        for (const [person, client] of [["ada", ada], ["eve", eve]] as const) {
          for (const server of ["mail", "files"] as const) {
            const error = yield* Effect.flip(client.callTool(`${server}_sign_in`))
            const end = yield* people[person].open(pageOf(error))
            assert.deepInclude(end, { status: 200 }, end.text)
            yield* eventually(client.callTool(`${server}_whoami`))
          }
        }
        const all = [["ada", ada], ["eve", eve]] as const
        for (const [person, client] of all) {
          for (const server of ["mail", "files"] as const) {
            assert.strictEqual(yield* seen(client, server), `${issuers[server]} ${person}`)
          }
        }
        assert.notInclude(yield* names(ada), "mail_sign_in")
        // Access tokens are renewed without a person, each by itself.
        const before = yield* tokensOf("ada", "mail")
        yield* eventually(Effect.gen(function*() {
          assert.strictEqual(yield* seen(ada, "mail"), `${issuers.mail} ada`)
          const { accessToken } = yield* tokensOf("ada", "mail")
          return accessToken === before.accessToken ? yield* Effect.fail("it is not renewed yet") : undefined
        }))
        // One grant that is revoked is one of one user at one server.
        yield* revoke("ada", "mail")
        const again = yield* Effect.flip(ada.callTool("mail_whoami"))
        assert.strictEqual(yield* seen(ada, "files"), `${issuers.files} ada`)
        assert.strictEqual(yield* seen(eve, "mail"), `${issuers.mail} eve`)
        yield* people.ada.open(pageOf(again))
        yield* eventually(ada.callTool("mail_whoami"))
        assert.strictEqual(yield* seen(ada, "mail"), `${issuers.mail} ada`)
        // Each has tokens of its own.
        const tokens = yield* Effect.forEach(
          all.flatMap(([person]) => ["mail", "files"].map((server) => [person, server] as const)),
          ([person, server]) => Effect.map(tokensOf(person, server), ({ accessToken }) => accessToken)
        )
        assert.lengthOf(new Set(tokens), 4)
        const refused = records.filter(({ outcome }) => outcome === "refused")
        assert.isAbove(refused.length, 0)
        for (const { principal } of records) {
          assert.include([principalOf("ada"), principalOf("eve")], principal)
        }
      })),
    60_000
  )

  it.live("finish no login that another one has begun", () =>
    run(Effect.gen(function*() {
      const { clientOf, tokensOf } = yield* world
      const eve = yield* clientOf("eve", "2026-07-28")
      const page = pageOf(yield* Effect.flip(eve.callTool("mail_sign_in")))
      // Ada opens the link that Eve has sent her.
      const ada = browser("ada")
      const end = yield* ada.open(page)
      assert.deepInclude(end, { status: 403 })
      assert.deepStrictEqual(yield* tokensOf("eve", "mail"), {})
      // Eve goes half of the way, and sends Ada the rest.
      const half = yield* browser("eve").open(page, (url) => url.pathname === "/login" && url.searchParams.has("code"))
      const other = yield* ada.open(half.url.href)
      assert.deepInclude(other, { status: 403 })
      assert.deepStrictEqual(yield* tokensOf("eve", "mail"), {})
      // An answer that nobody waits for is none.
      const forged = new URL(page)
      forged.search = "state=guessed&code=x"
      assert.deepInclude(yield* ada.open(forged.href), { status: 404 })
      // The right one still can.
      assert.deepInclude(yield* browser("eve").open(page), { status: 200 })
      yield* eventually(eve.callTool("mail_whoami"))
    })), 60_000)

  it.live(
    "are asked inside the call where their clients can be, and the call goes on",
    () =>
      run(Effect.gen(function*() {
        const { clientOf, issuers } = yield* world
        const own = browser("ada")
        const ada = yield* clientOf("ada", "2026-07-28", (url) => void Effect.runPromise(own.open(url)))
        const eve = yield* clientOf("eve", "2025-11-25", () => {})
        const error = yield* Effect.flip(eve.callTool("mail_sign_in"))
        assert.propertyVal(error, "code", McpError.UrlElicitationRequired)
        assert.match(pageOf(error), /\/login\?ticket=/)
        const { content } = yield* ada.callTool("mail_sign_in")
        assert.deepInclude(content[0], { text: "You are signed in to mail." })
        assert.strictEqual(yield* seen(ada, "mail"), `${issuers.mail} ada`)
      })),
    60_000
  )
})
