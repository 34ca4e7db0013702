import { assert, describe, it } from "@effect/vitest"
import * as Handshake from "@parley/transport/Handshake"
import { Effect, Schema } from "effect"

const headOf = (url: string, headers: Readonly<Record<string, string>> = {}): Handshake.Head => ({
  method: "GET",
  url,
  address: "127.0.0.1",
  header: (name) => headers[name]
})

describe("a head", () => {
  it("has its path, its query and its host, also where its target is a whole URL", () => {
    const targets = ["/rpc?a=1&b=/x", "http://example.org:1/rpc?a=1&b=/x"]
    for (const target of targets) {
      const head = headOf(target, { host: "localhost:4000" })
      assert.strictEqual(Handshake.pathOf(head), "/rpc")
      assert.deepStrictEqual([...Handshake.queryOf(head)], [["a", "1"], ["b", "/x"]])
      assert.strictEqual(Handshake.hostOf(head), target.startsWith("/") ? "localhost:4000" : "example.org:1")
    }
    assert.deepStrictEqual(
      ["http://example.org", "http://example.org?a=/b", "*", "/"].map((url) => Handshake.pathOf({ url })),
      ["/", "/", "*", "/"]
    )
  })

  it("has its cookies, and the first one where two have a name", () => {
    const cookies = Handshake.cookiesOf(headOf("/", { cookie: "a=1; token=x=y==; a=2; =3; odd" }))
    assert.deepStrictEqual([...cookies], [["a", "1"], ["token", "x=y=="]])
    assert.strictEqual(Handshake.cookiesOf(headOf("/")).size, 0)
  })

  it("has the subprotocols that are offered", () => {
    const offered = headOf("/", { "sec-websocket-protocol": "parley, bearer.abc ,," })
    assert.deepStrictEqual(Handshake.protocolsOf(offered), ["parley", "bearer.abc"])
    assert.deepStrictEqual(Handshake.protocolsOf(headOf("/")), [])
  })

  it.effect.prop(
    "gives a path for whatever is sent",
    { url: Schema.String },
    ({ url }) => Effect.sync(() => assert.notInclude(Handshake.pathOf({ url }), "?"))
  )
})
