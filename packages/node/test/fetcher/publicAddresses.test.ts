import { afterEach, assert, describe, it, vi } from "@effect/vitest"
import * as NodeHttp from "@parley/node/NodeHttp"
import { Effect } from "effect"
import dns from "node:dns"
import { lookup } from "../../src/internal/http/publicOnly.ts"
import * as servers from "../support/httpServers.ts"

/** A resolver for which every name has these addresses. */
const resolving = (...addresses: ReadonlyArray<string>) =>
  vi.spyOn(dns, "lookup").mockImplementation(
    // Only this overload is called.
    ((_: string, __: dns.LookupOptions, done: (error: null, found: ReadonlyArray<dns.LookupAddress>) => void) =>
      done(null, addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })))) as typeof dns.lookup
  )

const found = (all: boolean) =>
  Effect.callback<unknown, Error>((resume) => {
    lookup(
      "name.example",
      { all },
      (error, found) => resume(error === null ? Effect.succeed(found) : Effect.fail(error))
    )
  })

describe("a request for public addresses alone", () => {
  afterEach(() => {
    vi.restoreAllMocks()
  })

  it.live("is refused where the host is a private address, and sends nothing", () =>
    Effect.gen(function*() {
      let requests = 0
      const url = yield* servers.answering((_, response) => {
        requests++
        response.end()
      })
      const fetcher = yield* NodeHttp.makeFetcher()
      const error = yield* Effect.flip(fetcher.fetch({ method: "GET", url, addresses: "public" }))
      assert.deepInclude(error, { _tag: "Disconnected", sent: false })
      assert.include(error.message, "private address")
      yield* fetcher.fetch({ method: "GET", url })
      assert.strictEqual(requests, 1)
    }))

  it.live("is refused where the name leads to private addresses, however it is asked for", () =>
    Effect.gen(function*() {
      resolving("127.0.0.1", "::1", "10.0.0.1")
      const fetcher = yield* NodeHttp.makeFetcher()
      const fetched = fetcher.fetch({ method: "GET", url: "http://name.example:9/", addresses: "public" })
      const error = yield* Effect.flip(fetched)
      assert.deepInclude(error, { _tag: "Disconnected", sent: false })
      assert.include(error.message, "name.example is at a private address")
      assert.include((yield* Effect.flip(found(false))).message, "private address")
    }))

  it.live("takes the public addresses of a name that has both", () =>
    Effect.gen(function*() {
      resolving("10.0.0.1", "8.8.8.8", "2606:4700::1111")
      assert.deepStrictEqual(yield* found(true), [
        { address: "8.8.8.8", family: 4 },
        { address: "2606:4700::1111", family: 6 }
      ])
      assert.strictEqual(yield* found(false), "8.8.8.8")
    }))
})
