/** `parley tap` with a heap of 512 MB lives, whatever passes, and goes on passing it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { once } from "node:events"
import { accepting, connecting, run } from "../../node/test/support/littleMemory.ts"
import { bin } from "./Parley.ts"

describe("with little memory", () => {
  it.live("a tap lives and passes what comes, behind 32 requests of 14 MiB without a response", () =>
    Effect.gen(function*() {
      const { accepted, port } = yield* accepting
      const tap = yield* run(bin, "tap", `tcp://127.0.0.1:${port}`)
      const client = yield* connecting(yield* tap.address)
      // It answers nothing, until a text comes that it sends back.
      const endpoint = yield* accepted
      endpoint.on("data", (bytes) => {
        if (bytes.subarray(-100).includes(`"echo"`)) endpoint.write(`{"jsonrpc":"2.0","id":"last","result":1}\n`)
      })
      const long = "m".repeat(7 * 1024 * 1024)
      for (let index = 0; index < 32; index++) {
        const written = client.write(`{"jsonrpc":"2.0","id":"${index}${long}","method":"${index}${long}"}\n`)
        if (!written) yield* Effect.promise(() => Promise.race([once(client, "drain"), once(client, "close")]))
      }
      client.write(`{"jsonrpc":"2.0","id":"last","method":"echo"}\n`)
      const [answer] = yield* Effect.promise(() => Promise.race([once(client, "data"), once(client, "close")]))
      assert.include(String(answer), `"id":"last"`)
      assert.isUndefined(tap.end())
    }))
})
