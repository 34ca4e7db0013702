import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as web from "../support/web.ts"
import { at, bare, begin, flood, open } from "./support/addressed.ts"

const header = "x-forwarded-for"

const behind = (proxy: string, client: string) => at(proxy, { [header]: client })

const quotas = { address: { sessions: 2 } }

const hello = web.handshake("2025-11-25")

describe("the clients of a proxy", () => {
  it.effect("count by the addresses that it gives where it is trusted", () =>
    Effect.gen(function*() {
      const client = yield* open({ quotas, proxies: { trusted: ["127.0.0.1", "10.0.0.0/8"], header } })
      assert.deepStrictEqual(yield* flood(client, 5, () => behind("127.0.0.1", "192.0.2.1")), { 200: 2, 429: 3 })
      assert.deepStrictEqual(yield* flood(client, 5, () => behind("127.0.0.1", "192.0.2.2, 10.1.2.3")), {
        200: 2,
        429: 3
      })
      // The words that a client has written before do not matter.
      assert.strictEqual(yield* begin(client, behind("10.9.9.9", "127.0.0.1, 192.0.2.1")), 429)
      assert.strictEqual(yield* begin(client, behind("10.9.9.9", "192.0.2.3")), 200)
    }))

  it.effect("cannot be others, nor of this machine", () =>
    Effect.gen(function*() {
      const client = yield* open({ quotas, proxies: { trusted: ["127.0.0.1"], header } })
      // Nobody is believed but the proxy.
      assert.deepStrictEqual(yield* flood(client, 5, (index) => behind("192.0.2.1", `198.51.100.${index}`)), {
        200: 2,
        429: 3
      })
      // The address of the proxy counts where it gives none, and does not make a client one of this machine.
      const odd = ["", "nobody", "127.0.0.1", "::ffff:127.0.0.1", "nobody"]
      assert.deepStrictEqual(yield* flood(client, 5, (index) => behind("127.0.0.1", odd[index] ?? "")), {
        200: 2,
        429: 3
      })
      assert.deepStrictEqual(yield* flood(client, 5, () => at("127.0.0.1")), { 429: 5 })
      // Another address of this machine is no proxy.
      assert.deepStrictEqual(yield* flood(client, 5, () => at("::1")), { 200: 5 })
    }))

  it.effect("count by their addresses also where the host does not know that of the proxy", () =>
    Effect.gen(function*() {
      const client = yield* open({ quotas, proxies: { trusted: ["unknown"], header } })
      assert.deepStrictEqual(yield* flood(client, 5, () => ({ [header]: "192.0.2.1" })), { 200: 2, 429: 3 })
      assert.deepStrictEqual(yield* flood(client, 5, () => ({})), { 200: 2, 429: 3 })
    }))

  it.effect("are still held to the rules of this machine by a page that could write the header", () =>
    Effect.gen(function*() {
      const client = yield* open({ quotas, proxies: { trusted: ["127.0.0.1"], header } })
      const page = { ...behind("127.0.0.1", "192.0.2.1"), host: "evil.example" }
      assert.strictEqual(yield* begin(client, page), 403)
      assert.strictEqual(yield* begin(client, behind("127.0.0.1", "192.0.2.1")), 200)
    }))

  it.effect("count as one where it has no name, which is in the log once, and with each refusal", () =>
    Effect.gen(function*() {
      const { lines, post } = yield* bare({ quotas })
      const statuses = yield* Effect.forEach(
        ["192.0.2.1", "192.0.2.2", "192.0.2.3"],
        (address) => post(hello, "10.0.0.1", { [header]: address })
      )
      assert.deepStrictEqual(statuses, [200, 200, 429])
      yield* post(hello, "127.0.0.1", { forwarded: "for=192.0.2.1" })
      assert.deepStrictEqual(lines, [
        "requests come through a proxy that `proxies` does not name: its clients share one quota, or have none",
        "Refused a request from 10.0.0.1 to \"/mcp\" with 429: `quotas.address.sessions` allows 10.0.0.1 no more than 2 at once; the request came through a proxy that `proxies` does not name"
      ])
    }))

  it.effect("are nobody's business where there are no quotas, or the proxy has a name", () =>
    Effect.gen(function*() {
      for (const options of [{ quotas: false }, { proxies: { trusted: ["10.0.0.1"], header } }] as const) {
        const { lines, post } = yield* bare(options)
        assert.strictEqual(yield* post(hello, "10.0.0.1", { [header]: "192.0.2.1" }), 200)
        assert.deepStrictEqual(lines, [])
      }
    }))
})
