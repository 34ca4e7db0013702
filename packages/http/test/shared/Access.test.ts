import { assert, describe, it } from "@effect/vitest"
import { Access } from "@parley/http/shared"

describe("Access", () => {
  it("promise 6: a foreign protocol is closed and runs nothing: on loopback a page in a browser is refused by its host and its origin", () => {
    const refusal = Access.make({}, true)
    for (
      const host of [
        "localhost",
        "LOCALHOST:80",
        "127.0.0.1:4000",
        // Who listens on this address is reached by it, and by no other.
        "127.0.0.2:4000",
        "[::1]",
        "[::1]:65535",
        "localhost:"
      ]
    ) {
      assert.isUndefined(refusal({ host }), host)
    }
    for (
      const host of [
        undefined,
        "",
        "evil.example",
        "localhost.evil.example:80",
        "127.0.0.1.evil.example",
        "::1",
        "[::1"
      ]
    ) {
      assert.strictEqual(refusal({ host }), "Host", host)
    }
    for (const origin of ["http://evil.example", "http://localhost:5173", "null", "", "file://"]) {
      assert.strictEqual(refusal({ host: "localhost", origin }), "Origin", origin)
    }
  })

  it("promise 6: a foreign protocol is closed and runs nothing: the address of each client decides, also where it is not known", () => {
    const refusal = Access.gate({})
    const from = (address: string | undefined, host = "localhost") =>
      refusal({ address, url: "/", header: (name) => ({ host, origin: "https://evil.example" })[name] })
    for (const address of ["127.0.0.1", "127.9.8.7", "::1", "::ffff:127.0.0.1", undefined]) {
      assert.strictEqual(from(address), "Origin", address)
      assert.strictEqual(from(address, "evil.example"), "Host", address)
    }
    for (const address of ["192.0.2.1", "::ffff:192.0.2.1", "2001:db8::1"]) {
      assert.isUndefined(from(address, "evil.example"), address)
    }
  })

  it("pages of this machine are let in by name of their kind, and no others", () => {
    const refusal = Access.make({ origins: "loopback" }, true)
    for (const origin of ["http://localhost:5173", "https://127.0.0.1", "http://127.0.0.2", "http://[::1]:80"]) {
      assert.isUndefined(refusal({ host: "localhost", origin }), origin)
    }
    for (
      const origin of [
        "http://localhost.evil.example",
        "http://localhost/",
        "ftp://localhost",
        "null",
        "http://evil.example:80",
        "http://user@localhost:80"
      ]
    ) {
      assert.strictEqual(refusal({ host: "localhost", origin }), "Origin", origin)
    }
  })

  it("what is listed may pass, and nothing else", () => {
    const refusal = Access.make({ hosts: ["API.example.org"], origins: ["https://app.example.org"] }, true)
    assert.isUndefined(refusal({ host: "api.example.org:443", origin: "https://app.example.org" }))
    assert.isUndefined(refusal({ host: "api.example.org" }))
    assert.strictEqual(refusal({ host: "localhost" }), "Host")
    assert.strictEqual(refusal({ host: "api.example.org", origin: "https://app.example.org:8443" }), "Origin")
    assert.strictEqual(refusal({ host: "api.example.org", origin: "http://app.example.org" }), "Origin")
  })

  it("elsewhere nothing is refused that nobody named", () => {
    const refusal = Access.make({}, false)
    assert.isUndefined(refusal({ host: "anything", origin: "http://anywhere.example" }))
    assert.isUndefined(refusal({}))
    assert.strictEqual(Access.make({ origins: [] }, false)({ host: "anything", origin: "http://a.example" }), "Origin")
    assert.strictEqual(Access.make({ hosts: ["here"] }, false)({ host: "there" }), "Host")
    assert.isUndefined(Access.make({ hosts: "any", origins: "any" }, true)({ host: "there", origin: "null" }))
  })

  it("knows the addresses of this machine alone", () => {
    for (const host of ["127.0.0.1", "127.8.9.10", "::1", "::ffff:127.0.0.1", "localhost", "[::1]"]) {
      assert.isTrue(Access.isLoopback(host), host)
    }
    for (const host of ["0.0.0.0", "::", "192.168.0.1", "128.0.0.1", "1127.0.0.1", "localhost.example", ""]) {
      assert.isFalse(Access.isLoopback(host), host)
    }
  })
})
