import { assert, describe, it } from "@effect/vitest"
import * as NodeWebSocket from "@parley/node/NodeWebSocket"
import { Peer } from "@parley/peer"
import { Effect, Fiber, References } from "effect"
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import * as posting from "./support/posting.ts"

const program = fileURLToPath(new URL("fixtures/service.ts", import.meta.url))

/** A service in a process of its own, and how it ends. */
const started = Effect.gen(function*() {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(process.execPath, [program], { stdio: ["pipe", "pipe", "inherit"] })),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  const exited = new Promise<number | null>((resume) => child.on("exit", resume))
  const address = yield* Effect.callback<string>((resume) => {
    let all = ""
    child.stdout.on("data", (chunk) => {
      all += chunk
      const found = /^address (.*)$/m.exec(all)?.[1]
      if (found !== undefined) resume(Effect.succeed(found))
    })
  })
  return { child, address, exited: Effect.promise(() => exited) }
})

describe("a service that gets SIGTERM", () => {
  it.live("promise 19: end of input drains: it answers what runs, tells its health, and who runs too long, and exits", () =>
    Effect.gen(function*() {
      const { address, child, exited } = yield* started
      const rpc = `${address}/rpc`
      const running = yield* posting.begin(rpc)
      running.request.end(posting.request("wait"))
      const staying = yield* posting.begin(rpc)
      staying.request.end(posting.request("stay"))
      const socket = yield* NodeWebSocket.makeTransport({ url: rpc.replace("http", "ws") })
      const peer = yield* Peer.make(socket)
      const call = yield* Effect.forkChild(Effect.flip(peer.request("stay")), { startImmediately: true })
      // All of them run when another one is answered.
      assert.strictEqual((yield* posting.post(`${address}/health`, { method: "GET" })).status, 200)
      child.kill("SIGTERM")
      const health = posting.post(`${address}/health`, { method: "GET" })
      while ((yield* health).status !== 503) yield* Effect.yieldNow
      const late = yield* posting.post(rpc, { body: posting.request("wait") })
      assert.strictEqual(late.status, 503)
      assert.deepInclude(JSON.parse(late.text).error, { message: "Shutting down", data: { started: false } })
      child.stdin.write("\n")
      assert.include((yield* running.answer).text, "went")
      const told = yield* staying.answer
      assert.strictEqual(told.status, 200)
      const error = { code: -32000, message: "Shutting down", data: { started: true } }
      assert.deepStrictEqual(JSON.parse(told.text), { jsonrpc: "2.0", id: 1, error })
      assert.deepInclude(yield* Fiber.join(call), { code: -32000, text: "Shutting down" })
      yield* exited
    }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))
})
