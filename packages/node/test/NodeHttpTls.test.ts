import { assert, describe, it } from "@effect/vitest"
import * as NodeHttp from "@parley/node/NodeHttp"
import { Router } from "@parley/peer"
import { Effect } from "effect"
import * as certificates from "./support/certificates.ts"

describe("NodeHttp over TLS", () => {
  it.live("a server that asks for certificates serves who shows a known one, and nobody else", () =>
    Effect.gen(function*() {
      const router = yield* Router.make()
      let served = 0
      yield* router.add("greet", () => Effect.sync(() => ++served))
      const { address } = yield* NodeHttp.serveRouter({
        port: 0,
        tls: { ...certificates.server, ca: certificates.ca, requestCert: true, rejectUnauthorized: true }
      }).pipe(Effect.provideService(Router.Router, router))
      assert.match(address, /^https:\/\/127\.0\.0\.1:\d+\/$/)
      const known = yield* NodeHttp.makeCaller({ url: address, tls: certificates.known })
      assert.strictEqual(yield* known.request("greet"), 1)
      for (const tls of [certificates.trusting, { ...certificates.trusting, ...certificates.stranger }]) {
        const caller = yield* NodeHttp.makeCaller({ url: address, tls })
        const error = yield* Effect.flip(caller.request("greet"))
        assert.strictEqual(error._tag, "Disconnected")
      }
      assert.strictEqual(served, 1)
    }))
})
