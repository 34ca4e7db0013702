/** `parley tap` and `parley proxy` with a heap of 512 MB live, whatever passes, and go on passing it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { once } from "node:events"
import { setTimeout } from "node:timers/promises"
import {
  accepting,
  connecting,
  holds,
  listening,
  maskedText,
  run,
  type Running,
  serves,
  upgrading
} from "../../node/test/support/littleMemory.ts"
import { bin } from "./Parley.ts"

const large = Buffer.from(`{"jsonrpc":"2.0","id":1,"result":"${"x".repeat(12 * 1024 * 1024)}"}\n`)

/** An endpoint that answers `large` with 12 MiB as fast as it is read, and `echo` at once. */
const endpoint: Effect.Effect<string, never, Scope.Scope> = Effect.map(
  listening((socket) => {
    socket.on("data", (bytes) => {
      for (const [method] of String(bytes).matchAll(/large|echo/g)) {
        socket.write(method === "large" ? large : `{"jsonrpc":"2.0","id":1,"result":[1]}\n`)
      }
    })
  }),
  ({ port }) => `tcp://127.0.0.1:${port}`
)

/** Seconds in which replies come, and in which who reads nothing is found out. */
const moment = 10

/** Waits until a tap shows nothing any more: a message that comes later is shown later. */
const shown = ({ child }: Running) =>
  Effect.promise(async () => {
    let last = performance.now()
    const hear = () => last = performance.now()
    child.stdout.on("data", hear)
    while (performance.now() - last < 3_000) await setTimeout(500)
    child.stdout.off("data", hear)
  })

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

  for (const command of ["tap", "proxy"]) {
    for (const scheme of ["tcp", "ws"]) {
      for (const count of [1, 4]) {
        it.live(`a ${command} over ${scheme} lives and serves others, while 60 clients ask for ${count} x 12 MiB and read nothing`, () =>
          Effect.gen(function*() {
            const running = yield* run(bin, command, "--listen", `${scheme}://127.0.0.1:0`, yield* endpoint)
            const address = yield* running.address
            const ask = `{"jsonrpc":"2.0","id":1,"method":"large"}`
            for (let client = 0; client < 60; client++) {
              const socket = yield* (scheme === "ws" ? upgrading(address) : connecting(address))
              socket.pause()
              for (let asked = 0; asked < count; asked++) socket.write(scheme === "ws" ? maskedText(ask) : `${ask}\n`)
            }
            for (let second = 0; second < moment; second++) {
              yield* holds(running)
              yield* Effect.promise(() => setTimeout(1_000))
            }
            yield* shown(running)
            yield* serves(running)
          }))
      }
    }
  }
})
