/** Clients of the official SDK get tokens from a real authorization server, and call a protected server with them. */
import { assert, describe, it } from "@effect/vitest"
import * as V2 from "@modelcontextprotocol/client"
import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import * as ProofVerifier from "@parley/oauth/ProofVerifier"
import { Effect } from "effect"
import { person, redirectUri, tokenFor, visit } from "../../../../oauth/test/support/authorizationServer.ts"
import { protect } from "./support/served.ts"

/** The memory of a program for its authorization. Both versions of the SDK take it. */
class Person implements V2.OAuthClientProvider {
  readonly redirectUrl = redirectUri
  readonly clientMetadata: V2.OAuthClientMetadata = {
    redirect_uris: [redirectUri],
    token_endpoint_auth_method: "none"
  }
  /** The scopes that were asked for, each time. */
  readonly asked: Array<string | null> = []
  readonly dpop?: () => V2.DpopSession
  came = new URLSearchParams()
  #tokens: V2.OAuthTokens | undefined
  #verifier = ""

  constructor(session?: V2.DpopSession) {
    if (session !== undefined) this.dpop = () => session
  }

  clientInformation() {
    return { client_id: person }
  }
  tokens() {
    return this.#tokens
  }
  saveTokens(tokens: V2.OAuthTokens) {
    this.#tokens = tokens
  }
  async redirectToAuthorization(url: URL) {
    this.asked.push(url.searchParams.get("scope"))
    this.came = await visit(url)
  }
  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier
  }
  codeVerifier() {
    return this.#verifier
  }
}

interface Official {
  readonly name: string
  /** Connects, signing in on the way, and gives what calls a tool: it signs in again where it is told to. */
  readonly connect: (url: URL, who: Person) => Promise<{
    readonly call: (name: string) => Promise<unknown>
    readonly close: () => Promise<void>
  }>
}

type Block = { readonly text?: string } | undefined

const textOf = (result: object): unknown => (result as { readonly content: ReadonlyArray<Block> }).content[0]?.text

/** A client that has not connected yet. */
interface Fresh {
  readonly client: {
    readonly callTool: (tool: { readonly name: string; readonly arguments: {} }) => Promise<object>
    readonly close: () => Promise<void>
  }
  readonly connect: () => Promise<void>
  readonly finish: () => Promise<void>
}

const official = (name: string, make: (url: URL, who: Person) => Fresh): Official => ({
  name,
  connect: async (url, who) => {
    const open = async () => {
      const fresh = make(url, who)
      return { ...fresh, isSignedIn: await signedIn(fresh.connect, fresh.finish) }
    }
    const first = await open()
    const { client, finish } = first.isSignedIn ? await open() : first
    const tool = async (name: string) => textOf(await client.callTool({ name, arguments: {} }))
    return {
      call: async (name) => {
        let result: unknown
        return await signedIn(async () => void (result = await tool(name)), finish) ? tool(name) : result
      },
      close: () => client.close()
    }
  }
})

const v2 = (mode: V2.VersionNegotiationMode): Official =>
  official(`version 2 in the mode ${JSON.stringify(mode)}`, (url, authProvider) => {
    const client = new V2.Client({ name: "test", version: "1" }, { versionNegotiation: { mode } })
    const transport = new V2.StreamableHTTPClientTransport(url, { authProvider })
    return {
      client,
      connect: () => client.connect(transport),
      finish: () => transport.finishAuth(authProvider.came)
    }
  })

const v1 = official("version 1", (url, authProvider) => {
  const client = new Client({ name: "test", version: "1" })
  const transport = new StreamableHTTPClientTransport(url, { authProvider: authProvider as never })
  return {
    client,
    connect: () => client.connect(transport as never),
    finish: () => transport.finishAuth(authProvider.came.get("code") ?? "")
  }
})

/** Runs something, and finishes the authorization that it asks for: whether it did. */
const signedIn = async (run: () => Promise<unknown>, finish: () => Promise<void>): Promise<boolean> => {
  try {
    await run()
    return false
  } catch (error) {
    if (!(error instanceof UnauthorizedError || error instanceof V2.UnauthorizedError)) throw error
    await finish()
    return true
  }
}

const clients = [v1, v2("legacy"), v2("auto")]

for (const { connect, name } of clients) {
  describe(`the official client, ${name}`, () => {
    for (const format of ["jwt", "opaque"] as const) {
      it.live(`signs in for a server whose tokens are ${format}, and again for more scopes`, () =>
        Effect.gen(function*() {
          const { issuer, url } = yield* protect(format)
          const ada = new Person()
          const { call } = yield* Effect.acquireRelease(
            Effect.promise(() => connect(url, ada)),
            ({ close }) => Effect.promise(close)
          )
          const [subject, client, header] = JSON.parse(String(yield* Effect.promise(() => call("whoami"))))
          assert.deepStrictEqual([subject.replace(/^http:\/\/127\.0\.0\.1:\d+ /, ""), header], ["ada", null])
          assert.strictEqual(client, person)
          assert.strictEqual(yield* Effect.promise(() => call("write")), "written")
          assert.deepStrictEqual(ada.asked.map((scope) => scope?.split(" ").toSorted()), [
            ["files:read"],
            ["files:read", "files:write"]
          ])
          assert.strictEqual(ada.came.get("iss"), issuer)
        }))
    }
  })
}

describe("the official client, with tokens that are bound to its key", () => {
  it.live("sends a proof with each request, and repeats the nonce of the server", () =>
    Effect.gen(function*() {
      for (const nonce of [undefined, "random"] as const) {
        const proofs = yield* ProofVerifier.make({ isRequired: true, nonce })
        const { url } = yield* protect("jwt", { proofs })
        const ada = new Person(yield* Effect.promise(() => V2.DpopSession.create()))
        const { call } = yield* Effect.acquireRelease(
          Effect.promise(() => v2("auto").connect(url, ada)),
          ({ close }) => Effect.promise(close)
        )
        assert.include(String(yield* Effect.promise(() => call("whoami"))), ` ada"`)
        assert.strictEqual(ada.tokens()?.token_type, "DPoP")
        assert.strictEqual(yield* Effect.promise(() => call("write")), "written")
      }
    }))
})

describe("a token of a real authorization server", () => {
  const statusOf = (url: URL, token: string) =>
    Effect.promise(async () => {
      const response = await fetch(url, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "initialize",
          params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } }
        })
      })
      await response.text()
      return [response.status, /\((\w+)\)/.exec(response.headers.get("www-authenticate") ?? "")?.[1]]
    })

  it.live("lets a program in for this resource, and for no other", () =>
    Effect.gen(function*() {
      for (const format of ["jwt", "opaque"] as const) {
        const { issuer, url } = yield* protect(format)
        assert.deepStrictEqual(yield* statusOf(url, yield* tokenFor(issuer, url.href)), [200, undefined])
        const other = yield* tokenFor(issuer, "https://other.example.org/mcp")
        assert.deepStrictEqual(yield* statusOf(url, other), [401, "Audience"])
        const powerless = yield* tokenFor(issuer, url.href, "files:write")
        assert.deepStrictEqual(yield* statusOf(url, powerless), [403, undefined])
        const elsewhere = yield* protect(format)
        const foreign = yield* tokenFor(elsewhere.issuer, url.href)
        const reason = format === "jwt" ? "Signature" : "Inactive"
        assert.deepStrictEqual(yield* statusOf(url, foreign), [401, reason])
      }
    }))
})
