import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { open, refusal } from "../support/opened.ts"
import { challenge, issuer, server, World } from "../support/World.ts"

const wellKnown = "https://mcp.example/.well-known/oauth-protected-resource"

describe("the metadata of the resource", () => {
  it.effect("are where the challenge says, then at the path, then at the root", () =>
    Effect.gen(function*() {
      const world = new World()
      delete world.routes[`${wellKnown}/mcp`]
      world.routes[wellKnown] = () => ({ json: { ...world.resource, resource: "https://mcp.example" } })
      const serve = world.routes[server]
      world.routes[server] = (seen) => {
        const answer = serve?.(seen) ?? {}
        return "status" in answer && answer.status === 401
          ? { ...answer, headers: { "www-authenticate": `Bearer resource_metadata="https://mcp.example/elsewhere"` } }
          : answer
      }
      yield* (yield* open(world)).request("ping")
      const asked = world.seen.filter(({ method, url }) => method === "GET" && url.host === "mcp.example")
      assert.deepStrictEqual(asked.map(({ url }) => url.pathname), [
        "/elsewhere",
        "/.well-known/oauth-protected-resource/mcp",
        "/.well-known/oauth-protected-resource"
      ])
      assert.strictEqual(world.to("/token")[0]?.form["resource"], "https://mcp.example")
    }))

  it.effect.each([
    "https://evil.example/mcp",
    "https://mcp.example",
    "https://mcp.example/",
    "https://mcp.example/mcp/",
    "https://mcp.example/mcp#part",
    "https://mcp.example/mcp?tenant=other",
    "https://eve@mcp.example/mcp",
    "https://mcp.example/mcp/deeper",
    "https://mcp.example/mc",
    "http://mcp.example/mcp",
    "no url"
  ])("about %s are refused", (resource) =>
    Effect.gen(function*() {
      const world = new World()
      world.resource["resource"] = resource
      assert.deepInclude(yield* refusal(world), { _tag: "Untrusted" })
      assert.deepStrictEqual(world.asked, [])
    }))

  it.effect.each(["https://mcp.example/", "https://MCP.example:443"])(
    "about %s are taken where the client names the origin as the resource, which tokens are then asked for",
    (resource) =>
      Effect.gen(function*() {
        const world = new World()
        world.resource["resource"] = resource
        yield* (yield* open(world, world.auth({ resource: "https://mcp.example" }))).request("ping")
        assert.strictEqual(world.to("/token")[0]?.form["resource"], resource)
      })
  )

  it.effect.each<readonly [string, string, boolean]>([
    [server, "at the root", true],
    ["https://mcp.example", "at the root", true],
    ["https://mcp.example/mc", "at the root", false],
    ["https://mcp.example/other", "at the root", false],
    ["https://evil.example", "at the root", false],
    [server, "where the challenge says, at the root", true],
    ["https://mcp.example", "where the challenge says, at the root", false]
  ])("about %s that are %s: taken %s", ([resource, place, isTaken]) =>
    Effect.gen(function*() {
      const world = new World()
      const serve = world.routes[server]
      const named = place === "at the root" ? "" : ` resource_metadata="${wellKnown}"`
      delete world.routes[`${wellKnown}/mcp`]
      world.routes[wellKnown] = () => ({ json: { ...world.resource, resource } })
      world.routes[server] = (seen) => {
        const answer = serve?.(seen) ?? {}
        return "status" in answer && answer.status === 401
          ? { ...answer, headers: { "www-authenticate": `Bearer${named}` } }
          : answer
      }
      if (isTaken) yield* (yield* open(world)).request("ping")
      else assert.deepInclude(yield* refusal(world), { _tag: "Untrusted" })
      assert.strictEqual(world.to("/token")[0]?.form["resource"], isTaken ? resource : undefined)
    }))

  it.effect("about a URL with a query may leave it out", () =>
    Effect.gen(function*() {
      const world = new World()
      const { [server]: serve } = world.routes
      const url = `${server}?team=7`
      world.routes[`${wellKnown}/mcp`] = () => ({ json: world.resource })
      if (serve !== undefined) world.routes[server] = serve
      yield* (yield* open(world, world.auth(), url)).request("ping")
      world.resource["resource"] = url
      yield* (yield* open(world, world.auth(), url)).request("ping")
      assert.deepStrictEqual(world.to("/token").map(({ form }) => form["resource"]), [server, url])
    }))

  it.effect("that are missing because of a fault do not count as missing", () =>
    Effect.gen(function*() {
      const world = new World()
      world.routes[`${wellKnown}/mcp`] = () => ({ status: 503 })
      assert.deepInclude(yield* refusal(world), { _tag: "Unavailable" })
    }))

  it.effect("that are missing lead to the origin of the server, and to the usual paths there (2025-03-26)", () =>
    Effect.gen(function*() {
      const world = new World()
      delete world.routes[`${wellKnown}/mcp`]
      for (const path of ["/register", "/token"]) {
        const route = world.routes[`${issuer}${path}`]
        if (route !== undefined) world.routes[`https://mcp.example${path}`] = route
      }
      yield* (yield* open(world)).request("ping")
      assert.deepInclude(world.asked[0], { issuer: "https://mcp.example" })
      assert.strictEqual(new URL(world.asked[0]?.url ?? "").pathname, "/authorize")
    }))
})

describe("the metadata of the authorization server", () => {
  it.effect("are asked for in the order of the specification", () =>
    Effect.gen(function*() {
      const world = new World()
      const tenant = `${issuer}/tenant`
      world.resource["authorization_servers"] = [tenant]
      world.routes[`${tenant}/.well-known/openid-configuration`] = () => ({
        json: { ...world.metadata, issuer: tenant }
      })
      yield* (yield* open(world)).request("ping")
      const asked = world.seen.filter(({ method, url }) => method === "GET" && url.origin === issuer)
      assert.deepStrictEqual(asked.map(({ url }) => url.pathname), [
        "/.well-known/oauth-authorization-server/tenant",
        "/.well-known/openid-configuration/tenant",
        "/tenant/.well-known/openid-configuration"
      ])
    }))

  it.effect.each<readonly [string, string]>([
    ["https://evil.example", issuer],
    ["HTTPS://as.example", issuer],
    [`${issuer}/tenant`, issuer],
    [`${issuer}//`, issuer],
    [`${issuer}/?`, issuer],
    [issuer, `${issuer}/tenant`],
    [`${issuer}/tenant/`, `${issuer}/tenant`],
    [`${issuer}/tenant`, `${issuer}/tenant/`]
  ])(
    "of the issuer %s are refused where %s is asked",
    ([other, named]) =>
      Effect.gen(function*() {
        const world = new World()
        world.resource["authorization_servers"] = [named]
        for (const path of ["", "/tenant"]) {
          world.routes[`${issuer}/.well-known/oauth-authorization-server${path}`] = () => ({ json: world.metadata })
        }
        world.metadata["issuer"] = other
        assert.deepInclude(yield* refusal(world), { _tag: "Untrusted" })
        assert.deepStrictEqual(world.to("/register"), [])
      })
  )

  it.effect.each<readonly [string, string]>([[issuer, `${issuer}/`], [`${issuer}/`, issuer]])(
    "of %s are those of the issuer %s: an empty path and the path / are one",
    ([named, other]) =>
      Effect.gen(function*() {
        const world = new World()
        world.resource["authorization_servers"] = ["https://first.example", named]
        world.metadata["issuer"] = other
        world.metadata["authorization_response_iss_parameter_supported"] = true
        const authorize: typeof world.authorize = (request) =>
          Effect.map(world.authorize(request), (back) => {
            back.searchParams.set("iss", other)
            return back
          })
        const client = { clientId: "known", issuer: named }
        yield* (yield* open(world, world.auth({ grant: world.grant({ authorize, client }) }))).request("ping")
        assert.deepStrictEqual(world.to("/register"), [])
        assert.deepInclude(world.to("/token")[0]?.form, { client_id: "known" })
      })
  )
})

describe("URLs that others name", () => {
  it.effect.each<readonly [string, string]>([
    ["an address of a private network", "https://10.0.0.1"],
    ["the address of a cloud's metadata", "https://169.254.169.254"],
    ["this machine", "https://127.0.0.1"],
    ["this machine by name", "http://localhost:9"],
    ["an address of IPv6", "https://[fd00::1]"],
    ["an address written as a number", "https://2130706433"],
    ["a connection that is not encrypted", "http://as.example"],
    ["a URL with a password", "https://user:secret@as.example"],
    ["a file", "file:///etc/passwd"]
  ])("%s are not asked", ([, other]) =>
    Effect.gen(function*() {
      const world = new World()
      world.resource["authorization_servers"] = [other]
      const reason = yield* refusal(world)
      assert.deepInclude(reason, { _tag: "Forbidden" })
      assert.notInclude(JSON.stringify(reason), "secret")
      assert.deepStrictEqual(world.seen.filter(({ url }) => url.host !== "mcp.example"), [])
    }))

  it.effect("are not followed to a private address, and not without end", () =>
    Effect.gen(function*() {
      const world = new World()
      const place = `${issuer}/.well-known/oauth-authorization-server`
      world.routes[place] = () => ({ status: 302, headers: { location: "https://10.0.0.1/" } })
      assert.deepInclude(yield* refusal(world), { _tag: "Forbidden" })
      world.routes[place] = () => ({ status: 302, headers: { location: place } })
      assert.deepInclude(yield* refusal(world), { _tag: "Unsupported" })
      assert.isBelow(world.seen.length, 20)
    }))

  it.effect("are asked at addresses that are public, unless the server is at none or they are allowed", () =>
    Effect.gen(function*() {
      // The first request is that of the caller, to a URL of ours.
      const addresses = (world: World) => new Set(world.seen.slice(1).map(({ addresses }) => addresses))
      const world = new World()
      yield* refusal(world, world.auth({ grant: world.grant({ authorize: undefined }) }))
      assert.deepStrictEqual(addresses(world), new Set(["public"]))
      const local = new World()
      local.routes["http://127.0.0.1/mcp"] = () => challenge()
      yield* refusal(local, local.auth(), "http://127.0.0.1/mcp")
      assert.deepStrictEqual(addresses(local), new Set([undefined]))
      const allowed = new World()
      allowed.resource["authorization_servers"] = ["https://10.0.0.1"]
      const auth = allowed.auth({ privateAddresses: true })
      assert.deepInclude(yield* refusal(allowed, auth), { _tag: "Unsupported", issuer: "https://10.0.0.1" })
    }))

  it.effect("whose answers are too large are given up", () =>
    Effect.gen(function*() {
      const world = new World()
      world.routes[`${issuer}/.well-known/oauth-authorization-server`] = () => ({ text: " ".repeat(300_000) })
      assert.deepInclude(yield* refusal(world), { _tag: "Untrusted" })
    }))
})

describe("hostile documents", () => {
  it.effect.prop(
    "any JSON as metadata ends in a typed error, and asks nobody",
    { json: Schema.Json },
    ({ json }) =>
      Effect.gen(function*() {
        const world = new World()
        world.routes[`${wellKnown}/mcp`] = () => ({ json })
        world.routes[`${issuer}/.well-known/oauth-authorization-server`] = () => ({ json })
        const { _tag } = yield* refusal(world)
        assert.include(["Untrusted", "Unsupported", "Forbidden", "Refused"], _tag)
        assert.isBelow(world.seen.length, 20)
      }),
    { arbitrary: { runs: 50 } }
  )

  it.effect.prop(
    "any members of the metadata of a server end in a typed error, or in a token",
    { key: Schema.Literals(["authorization_endpoint", "token_endpoint", "registration_endpoint"]), json: Schema.Json },
    ({ json, key }) =>
      Effect.gen(function*() {
        const world = new World()
        world.metadata[key] = json
        assert.isString((yield* refusal(world))._tag)
      }),
    { arbitrary: { runs: 50 } }
  )

  it.effect.prop(
    "any JSON as the answer of an endpoint ends in a typed error",
    {
      path: Schema.Literals(["/register", "/token"]),
      json: Schema.Json,
      status: Schema.Literals([200, 201, 400, 500])
    },
    ({ json, path, status }) =>
      Effect.gen(function*() {
        const world = new World()
        world.routes[`${issuer}${path}`] = () => ({ status, json })
        assert.include(["Refused", "Untrusted", "Unavailable", "Unsupported"], (yield* refusal(world))._tag)
      }),
    { arbitrary: { runs: 50 } }
  )
})
