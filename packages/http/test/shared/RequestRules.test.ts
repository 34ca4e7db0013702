import { assert, describe, it } from "@effect/vitest"
import { RequestRules } from "@parley/http/shared"
import { Effect, Logger, References } from "effect"

interface Own {
  readonly method?: string
  readonly address?: string | undefined
  readonly host?: string | undefined
  readonly origin?: string
  readonly contentType?: string
  readonly contentLength?: string
  readonly transferEncoding?: string
  readonly forwardedFor?: string
}

const headOf = (own: Own): RequestRules.Head => {
  const { address, contentLength, contentType, forwardedFor, host, method, origin, transferEncoding } = {
    method: "POST",
    contentType: "application/json",
    contentLength: undefined,
    transferEncoding: undefined,
    forwardedFor: undefined,
    host: "localhost",
    origin: undefined,
    address: "127.0.0.1",
    ...own
  }
  const headers = new Map([
    ["content-type", contentType],
    ["content-length", contentLength],
    ["transfer-encoding", transferEncoding],
    ["host", host],
    ["origin", origin],
    ["x-forwarded-for", forwardedFor]
  ])
  return { method, url: "/", address, header: (name) => headers.get(name) }
}

const admitted = (gate: RequestRules.RequestGate, own: Own = {}): RequestRules.Admission => {
  const admission = gate.admit(headOf(own))
  return admission instanceof RequestRules.Refusal ? assert.fail(`${admission.status} ${admission.text}`) : admission
}

const statusOf = (gate: RequestRules.RequestGate, own: Own = {}): number | undefined => {
  const admission = gate.admit(headOf(own))
  if (admission instanceof RequestRules.Refusal) return admission.status
  admission.release()
  return undefined
}

describe("RequestRules", () => {
  it("foreign hosts and origins are refused where the caller may be a page on this machine", () => {
    const foreign = [{ host: "evil.example" }, { host: undefined }, { origin: "http://evil.example" }]
    for (const own of foreign) {
      const gate = RequestRules.make()
      assert.strictEqual(statusOf(gate, own), 403)
      assert.strictEqual(statusOf(gate, { ...own, address: "::ffff:127.0.0.1" }), 403)
      assert.strictEqual(statusOf(gate, { ...own, address: undefined }), 403)
      assert.isUndefined(statusOf(gate, { ...own, address: "192.0.2.1" }))
      assert.isUndefined(statusOf(RequestRules.make({ access: { hosts: "any", origins: "any" } }), own))
    }
    const named = RequestRules.make({ access: { hosts: ["api.example"] } })
    assert.strictEqual(statusOf(named, { address: "192.0.2.1" }), 403)
    assert.isUndefined(statusOf(named, { host: "api.example:8443", address: "192.0.2.1" }))
  })

  it("promise 6: a foreign protocol is closed and runs nothing: a page cannot choose its rules by what a proxy would write", () => {
    const gate = RequestRules.make({ proxies: { trusted: ["127.0.0.1", "unknown"], header: "x-forwarded-for" } })
    const page = { host: "evil.example", origin: "http://evil.example", forwardedFor: "203.0.113.9" }
    for (const address of ["127.0.0.1", "::ffff:127.0.0.1", undefined]) {
      assert.strictEqual(statusOf(gate, { ...page, address }), 403, address)
    }
    // Nor does anybody far away become one of this machine.
    assert.isUndefined(statusOf(gate, { ...page, address: "192.0.2.1", forwardedFor: "127.0.0.1" }))
  })

  it.effect("the log has the address that a trusted proxy gives", () =>
    Effect.gen(function*() {
      const lines: Array<unknown> = []
      const logger = Logger.make(({ message }) => void lines.push(message))
      const watch = Effect.provideService(References.CurrentLoggers, new Set([logger]))
      const refused = new RequestRules.Refusal(403, "No.", {}, "because")
      const head = headOf({ address: "192.0.2.1", forwardedFor: "203.0.113.9" })
      for (const trusted of [["192.0.2.1"], ["192.0.2.2"]]) {
        const gate = RequestRules.make({ proxies: { trusted, header: "x-forwarded-for" } })
        yield* watch(gate.report?.(head, refused) ?? Effect.void)
      }
      assert.deepStrictEqual(
        lines,
        ["203.0.113.9", "192.0.2.1"].map((address) => [`Refused a request from ${address} to "/" with 403: because`])
      )
    }))

  it("a length that is no number is not believed, and what comes is counted", () => {
    const admission = admitted(RequestRules.make({ limits: { frame: 10 } }), { contentLength: "many" })
    assert.isUndefined(admission.push(new Uint8Array(10)))
    assert.strictEqual(admission.push(new Uint8Array(1))?.status, 413)
  })

  it("a transfer coding that is not chunked is refused, alone or below that", () => {
    const gate = RequestRules.make()
    for (const transferEncoding of ["gzip, chunked", "chunked, chunked", "gzip", "identity"]) {
      assert.strictEqual(statusOf(gate, { transferEncoding }), 501)
    }
    for (const transferEncoding of ["chunked", "Chunked"]) assert.isUndefined(statusOf(gate, { transferEncoding }))
  })

  it("all bodies together stay within the budget: the heaviest that has not arrived gives way", () => {
    const gate = RequestRules.make({ limits: { budget: 100 } })
    const [whole, heavy, light] = [admitted(gate), admitted(gate), admitted(gate)] as const
    assert.isUndefined(whole.push(new Uint8Array(50)))
    assert.strictEqual(whole.text(), "\0".repeat(50))
    assert.isUndefined(heavy.push(new Uint8Array(30)))
    assert.isUndefined(light.push(new Uint8Array(20)))
    assert.strictEqual(whole.budget.taken(), 70)
    // It learns of it with its next bytes, or at its end.
    assert.strictEqual(heavy.push(new Uint8Array(1))?.status, 503)
    assert.deepInclude(heavy.text(), { status: 503 })
    assert.strictEqual(light.push(new Uint8Array(40))?.status, 503)
    assert.strictEqual(whole.budget.taken(), 50)
    for (const admission of [whole, heavy, light, whole]) admission.release()
    assert.strictEqual(whole.budget.taken(), 0)
    assert.isUndefined(statusOf(gate))
  })

  it("a body that comes as a whole gives way to nobody, and those that have not arrived give way to it", () => {
    const gate = RequestRules.make({ limits: { budget: 100 } })
    const [light, whole] = [admitted(gate), admitted(gate, { contentLength: "90" })] as const
    assert.isUndefined(light.push(new Uint8Array(20)))
    assert.isUndefined(whole.push(new Uint8Array(90)))
    assert.strictEqual(whole.text(), "\0".repeat(90))
    assert.deepInclude(light.text(), { status: 503 })
    assert.strictEqual(whole.budget.taken(), 90)
    whole.release()
    assert.strictEqual(whole.budget.taken(), 0)
  })

  it("a small body is taken while others hold the budget", () => {
    const gate = RequestRules.make({ limits: { budget: 8_192 * 100 } })
    const admission = admitted(gate)
    admission.budget.take(8_192 * 100)
    assert.isUndefined(admission.push(new Uint8Array(100)))
    assert.strictEqual(admission.text(), "\0".repeat(100))
  })

  it("a place is given back once", () => {
    const gate = RequestRules.make({ limits: { connections: 2 } })
    const visits = [admitted(gate), admitted(gate)]
    assert.strictEqual(statusOf(gate), 503)
    visits[0]?.release()
    visits[0]?.release()
    admitted(gate)
    assert.strictEqual(statusOf(gate), 503)
  })

  it("a text in pieces is one, cut within a character", () => {
    const admission = admitted(RequestRules.make())
    for (const byte of new TextEncoder().encode(`"€"`)) admission.push(new Uint8Array([byte]))
    assert.strictEqual(admission.text(), `"€"`)
  })

  it("methods are those that are named, and only some of them hold a message", () => {
    const gate = RequestRules.make({ methods: ["GET", "POST", "DELETE"] })
    const refused = gate.admit(headOf({ method: "PUT" }))
    assert.deepInclude(refused, { status: 405, headers: { allow: "GET, POST, DELETE" } })
    assert.strictEqual(statusOf(gate, { contentType: "text/plain" }), 415)
    assert.strictEqual(statusOf(gate, { method: "GET", host: "evil.example" }), 403)
    const admission = admitted(gate, { method: "DELETE", contentType: "text/plain", contentLength: "7" })
    assert.strictEqual(admission.push(new Uint8Array(1))?.status, 400)
  })

  it("of the answers that their clients have not read, the heaviest is ended where they spend the budget", () => {
    const gate = RequestRules.make({ limits: { budget: 100 } })
    const ended: Array<string> = []
    const [first, second, third] = [admitted(gate), admitted(gate), admitted(gate)] as const
    first.hold(60, () => ended.push("first"))
    second.hold(30, () => ended.push("second"))
    assert.deepStrictEqual(ended, [])
    third.hold(20, () => ended.push("third"))
    assert.deepStrictEqual(ended, ["first"])
    assert.strictEqual(first.budget.taken(), 110)
    first.release()
    first.hold(100, () => ended.push("first"))
    assert.strictEqual(first.budget.taken(), 50)
    assert.deepStrictEqual(ended, ["first"])
  })

  it("streams that stay have places of their own, as many, and hold no body", () => {
    const gate = RequestRules.make({ limits: { connections: 1 } })
    const first = admitted(gate)
    first.push(new Uint8Array(10))
    assert.isUndefined(first.toStream())
    assert.isUndefined(first.toStream())
    assert.strictEqual(first.budget.taken(), 0)
    const second = admitted(gate)
    assert.isUndefined(second.push(new Uint8Array(10)))
    assert.strictEqual(second.toStream()?.status, 503)
    // The second has its place still.
    assert.strictEqual(statusOf(gate), 503)
    first.release()
    assert.isUndefined(second.toStream())
    assert.isUndefined(statusOf(gate))
  })
})
