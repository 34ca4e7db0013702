/** The ways of browsers through logins, step by step, before authorization servers that nobody asks. */
import { assert, describe, it } from "@effect/vitest"
import * as McpGateway from "@parley/mcp-gateway/McpGateway"
import * as UserLogins from "@parley/mcp-gateway/UserLogins"
import * as TokenStore from "@parley/oauth/TokenStore"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { clientAs, settled } from "../support/gateways.ts"

const host = "https://gateway.example.org"

/** The logins of one person at servers of these names; the page of each has its name as the `state`. */
const world = Effect.fnUntraced(function*(
  servers: ReadonlyArray<string>,
  identify: UserLogins.Identify = () => Effect.succeed("ada"),
  origin = host
) {
  const logins = yield* UserLogins.make({ url: `${origin}/login`, store: TokenStore.makeMemory(), identify })
  const gateway = yield* McpGateway.make({
    name: "gateway",
    version: "1",
    logins,
    servers: Object.fromEntries(servers.map((name): [string, McpGateway.Member] => [name, {
      credentials: "user",
      connect: (_, authorization) => {
        const { grant } = authorization!
        if (grant._tag !== "AuthorizationCode" || grant.authorize === undefined) return Effect.die("no login")
        const page = `https://${name}.example.org/authorize?state=${name}`
        return Effect.andThen(Effect.ignore(grant.authorize({ url: page } as never)), Effect.never)
      }
    }]))
  })
  const client = yield* clientAs(gateway, "ada")
  const linkOf = (name: string) =>
    Effect.map(Effect.flip(client.callTool(`${name}_sign_in`)), (error): string => Object(error).data.url)
  /** The reply to a browser with these cookies. */
  const get = (url: string, cookie = "") => {
    const { pathname, search } = new URL(url)
    const head = {
      method: "GET",
      url: pathname + search,
      address: undefined,
      header: (name: string) => name === "cookie" ? cookie : undefined
    }
    return Effect.map(logins.endpoint.answer(head, "", {} as never), (reply) => {
      if (!("body" in reply)) return assert.fail("it is refused")
      const { body, headers, status } = reply
      return { body, status, headers, cookie: headers["set-cookie"]?.split(";")[0] ?? "" }
    })
  }
  return { get, linkOf }
})

describe("a login", () => {
  it.effect("goes on beside another one of the same browser", () =>
    Effect.gen(function*() {
      const { get, linkOf } = yield* world(["mail", "files"])
      const mail = yield* get(yield* linkOf("mail"))
      const files = yield* get(yield* linkOf("files"))
      assert.match(
        mail.headers["set-cookie"] ?? "",
        /^__Host-parley-login-.*; HttpOnly; SameSite=Lax; .*; Path=\/; Secure$/
      )
      const cookies = `${mail.cookie}; ${files.cookie}`
      assert.strictEqual((yield* get(`${host}/login?state=mail&code=x`, files.cookie)).status, 403)
      assert.strictEqual((yield* get(`${host}/login?state=mail&code=x`, cookies)).status, 200)
      assert.strictEqual((yield* get(`${host}/login?state=files&code=x`, cookies)).status, 200)
    }))

  it.effect("has a cookie of its path where there is no https", () =>
    Effect.gen(function*() {
      const { get, linkOf } = yield* world(["mail"], undefined, "http://127.0.0.1:8080")
      assert.match((yield* get(yield* linkOf("mail"))).headers["set-cookie"] ?? "", /^parley-login-.*; Path=\/login$/)
    }))

  it.effect("that is opened again leaves no request without an answer", () =>
    Effect.gen(function*() {
      let count = 0
      const { get, linkOf } = yield* world(["mail"], () => count++ === 0 ? Effect.never : Effect.succeed("ada"))
      const link = yield* linkOf("mail")
      const first = yield* Effect.forkChild(get(link), { startImmediately: true })
      yield* settled
      assert.strictEqual((yield* get(link)).status, 302)
      assert.strictEqual((yield* Fiber.join(first)).status, 409)
    }))

  it.effect("that the person has refused says so", () =>
    Effect.gen(function*() {
      const { get, linkOf } = yield* world(["mail"])
      const { cookie } = yield* get(yield* linkOf("mail"))
      const { body, status } = yield* get(`${host}/login?state=mail&error=access_denied%0Asudo`, cookie)
      assert.deepStrictEqual([status, body], [400, "The login has failed: access_denied\\u000asudo\n"])
    }))

  it.effect("that comes too late says so", () =>
    Effect.gen(function*() {
      const { get, linkOf } = yield* world(["mail"], () => Effect.never)
      const link = yield* linkOf("mail")
      yield* TestClock.adjust("5 minutes")
      const late = yield* Effect.forkChild(get(link), { startImmediately: true })
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual((yield* Fiber.join(late)).status, 410)
    }))

  it.effect("whose program waits no more says so", () =>
    Effect.gen(function*() {
      const { get, linkOf } = yield* world(["mail"])
      const link = yield* linkOf("mail")
      yield* TestClock.adjust("9 minutes")
      const { cookie } = yield* get(link)
      yield* TestClock.adjust("2 minutes")
      assert.strictEqual((yield* get(`${host}/login?state=mail&code=x`, cookie)).status, 410)
    }))
})
