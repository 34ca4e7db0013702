import { assert, describe, it } from "@effect/vitest"
import { Cors, type RequestRules } from "@parley/http/shared"

const headOf = (method: string, headers: Readonly<Record<string, string>>): RequestRules.Head => ({
  method,
  url: "/",
  address: "192.0.2.1",
  header: (name) => headers[name]
})

const app = "https://app.example"

const asking = (headers: Readonly<Record<string, string>> = {}) =>
  headOf("OPTIONS", { origin: app, "access-control-request-method": "POST", ...headers })

const vary = "Origin, Access-Control-Request-Headers, Access-Control-Request-Private-Network"

describe("CORS", () => {
  const cors = Cors.make({ origins: [app, "https://other.example"] }, ["POST"])

  it("answers the preflights of listed origins, and no others", () => {
    assert.deepStrictEqual(cors.preflight(asking({ "access-control-request-headers": "content-type,x-tenant" })), {
      vary,
      "access-control-allow-origin": app,
      "access-control-allow-methods": "POST",
      "access-control-allow-headers": "content-type,x-tenant"
    })
    for (const origin of ["https://evil.example", "https://app.example.evil", "http://app.example", "null", ""]) {
      assert.isUndefined(cors.preflight(asking({ origin })))
      assert.deepStrictEqual(cors.headersOf(headOf("POST", { origin })), { vary: "Origin" })
    }
    assert.isUndefined(cors.preflight(headOf("OPTIONS", { origin: app })))
    assert.isUndefined(cors.preflight(headOf("POST", { origin: app, "access-control-request-method": "POST" })))
  })

  it("names the origin in every answer to it, and says that answers differ by it", () => {
    assert.deepStrictEqual(cors.headersOf(headOf("POST", { origin: app })), {
      vary: "Origin",
      "access-control-allow-origin": app
    })
    assert.deepStrictEqual(cors.headersOf(headOf("POST", {})), { vary: "Origin" })
  })

  it("lets pages send cookies, see headers and keep answers only where it is told to", () => {
    const all = Cors.make({
      origins: [app],
      credentials: true,
      headers: ["authorization", "content-type"],
      exposedHeaders: ["retry-after", "www-authenticate"],
      maxAge: "10 minutes",
      privateNetwork: true
    }, ["POST", "GET"])
    assert.deepStrictEqual(all.headersOf(headOf("GET", { origin: app })), {
      vary: "Origin",
      "access-control-allow-origin": app,
      "access-control-allow-credentials": "true",
      "access-control-expose-headers": "retry-after, www-authenticate"
    })
    const request = asking({
      "access-control-request-headers": "x-other",
      "access-control-request-private-network": "true"
    })
    assert.deepStrictEqual(all.preflight(request), {
      vary,
      "access-control-allow-origin": app,
      "access-control-allow-credentials": "true",
      "access-control-allow-methods": "POST, GET",
      "access-control-max-age": "600",
      "access-control-allow-headers": "authorization, content-type",
      "access-control-allow-private-network": "true"
    })
    assert.notProperty(cors.preflight(request), "access-control-allow-private-network")
    assert.notProperty(all.preflight(asking()), "access-control-allow-private-network")
  })

  it("takes any origin only without credentials", () => {
    const any = Cors.make({ origins: "any" }, ["POST"])
    assert.deepStrictEqual(any.headersOf(headOf("POST", { origin: app })), { "access-control-allow-origin": "*" })
    assert.throws(
      () => Cors.make({ origins: "any", credentials: true }, ["POST"]),
      "`cors.origins` has to list the origins where `cors.credentials` is true: it is \"any\""
    )
  })
})
