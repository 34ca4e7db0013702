import { assert, describe, it } from "@effect/vitest"
import { PostRules } from "@parley/http"

interface Own {
  readonly method?: string
  readonly address?: string | undefined
  readonly host?: string | undefined
  readonly origin?: string
  readonly contentType?: string
  readonly contentLength?: string
}

const headOf = (own: Own): PostRules.Head => {
  const { address, contentLength, contentType, host, method, origin } = {
    method: "POST",
    contentType: "application/json",
    contentLength: undefined,
    host: "localhost",
    origin: undefined,
    address: "127.0.0.1",
    ...own
  }
  const headers = new Map([
    ["content-type", contentType],
    ["content-length", contentLength],
    ["host", host],
    ["origin", origin]
  ])
  return { method, url: "/", address, header: (name) => headers.get(name) }
}

const admitted = (desk: PostRules.Desk, own: Own = {}): PostRules.Visit => {
  const visit = desk.admit(headOf(own))
  return visit instanceof PostRules.Refusal ? assert.fail(`${visit.status} ${visit.text}`) : visit
}

const statusOf = (desk: PostRules.Desk, own: Own = {}): number | undefined => {
  const visit = desk.admit(headOf(own))
  if (visit instanceof PostRules.Refusal) return visit.status
  visit.leave()
  return undefined
}

describe("PostRules", () => {
  it("foreign hosts and origins are refused where the caller may be a page on this machine", () => {
    const foreign = [{ host: "evil.example" }, { host: undefined }, { origin: "http://evil.example" }]
    for (const own of foreign) {
      const desk = PostRules.make()
      assert.strictEqual(statusOf(desk, own), 403)
      assert.strictEqual(statusOf(desk, { ...own, address: "::ffff:127.0.0.1" }), 403)
      assert.strictEqual(statusOf(desk, { ...own, address: undefined }), 403)
      assert.isUndefined(statusOf(desk, { ...own, address: "192.0.2.1" }))
      assert.isUndefined(statusOf(PostRules.make({ access: { hosts: "any", origins: "any" } }), own))
    }
    const named = PostRules.make({ access: { hosts: ["api.example"] } })
    assert.strictEqual(statusOf(named, { address: "192.0.2.1" }), 403)
    assert.isUndefined(statusOf(named, { host: "api.example:8443", address: "192.0.2.1" }))
  })

  it("a length that is no number is not believed, and what comes is counted", () => {
    const visit = admitted(PostRules.make({ limits: { frame: 10 } }), { contentLength: "many" })
    assert.isUndefined(visit.push(new Uint8Array(10)))
    assert.strictEqual(visit.push(new Uint8Array(1))?.status, 413)
  })

  it("all bodies together stay within the budget, and give back what they held", () => {
    const desk = PostRules.make({ limits: { budget: 10 } })
    const first = admitted(desk)
    const second = admitted(desk)
    assert.isUndefined(first.push(new Uint8Array(10)))
    assert.strictEqual(second.push(new Uint8Array(1))?.status, 503)
    assert.strictEqual(statusOf(desk), 503)
    first.leave()
    first.leave()
    assert.isUndefined(second.push(new Uint8Array(9)))
    assert.isUndefined(statusOf(desk))
  })

  it("a place is given back once", () => {
    const desk = PostRules.make({ limits: { connections: 2 } })
    const visits = [admitted(desk), admitted(desk)]
    assert.strictEqual(statusOf(desk), 503)
    visits[0]?.leave()
    visits[0]?.leave()
    admitted(desk)
    assert.strictEqual(statusOf(desk), 503)
  })

  it("a text in pieces is one, cut within a character", () => {
    const visit = admitted(PostRules.make())
    for (const byte of new TextEncoder().encode(`"€"`)) visit.push(new Uint8Array([byte]))
    assert.strictEqual(visit.text(), `"€"`)
  })

  it("methods are those that are named, and only some of them hold a message", () => {
    const desk = PostRules.make({ methods: ["GET", "POST", "DELETE"] })
    const refused = desk.admit(headOf({ method: "PUT" }))
    assert.deepInclude(refused, { status: 405, headers: { allow: "GET, POST, DELETE" } })
    assert.strictEqual(statusOf(desk, { contentType: "text/plain" }), 415)
    assert.strictEqual(statusOf(desk, { method: "GET", host: "evil.example" }), 403)
    const visit = admitted(desk, { method: "DELETE", contentType: "text/plain", contentLength: "7" })
    assert.strictEqual(visit.push(new Uint8Array(1))?.status, 400)
  })

  it("streams that stay have places of their own, as many, and hold no body", () => {
    const desk = PostRules.make({ limits: { connections: 1, budget: 10 } })
    const first = admitted(desk)
    first.push(new Uint8Array(10))
    assert.isUndefined(first.stay())
    assert.isUndefined(first.stay())
    const second = admitted(desk)
    assert.isUndefined(second.push(new Uint8Array(10)))
    assert.strictEqual(second.stay()?.status, 503)
    // The second has its place still.
    assert.strictEqual(statusOf(desk), 503)
    first.leave()
    assert.isUndefined(second.stay())
    assert.isUndefined(statusOf(desk))
  })
})
