import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Queue, Scope } from "effect"
import { fileURLToPath } from "node:url"
import * as places from "./support/places.ts"

/** Whether there is no such process any more. */
const isGone = (pid: number) => {
  try {
    process.kill(pid, 0)
    return false
  } catch {
    return true
  }
}

const published = (name: string) => fileURLToPath(import.meta.resolve(`@modelcontextprotocol/${name}/dist/index.js`))

const programs = {
  "the official SDK's, version 1": [places.script("v1Stdio.ts"), "2025-11-25"],
  "the official SDK's, version 2": [places.script("v2Stdio.ts"), "2026-07-28"],
  "that of everything": [published("server-everything"), "2025-11-25"]
} as const

const stubborn = places.script("stubborn.ts")

describe("a server that our client has started as a child process", () => {
  for (const [name, [program, revision]] of Object.entries(programs)) {
    it.live(`is gone when the client has closed: ${name}`, () =>
      Effect.gen(function*() {
        const scope = yield* Scope.make()
        const { client, pid } = yield* Scope.provide(
          Effect.gen(function*() {
            const transport = yield* places.stdio(program)
            return { client: yield* places.over(transport), pid: transport.pid }
          }),
          scope
        )
        assert.strictEqual(client.protocolVersion, revision)
        assert.isFalse(isGone(pid))
        yield* Scope.close(scope, Exit.void)
        assert.isTrue(isGone(pid))
        const later = yield* Effect.flip(client.listTools())
        assert.strictEqual(later._tag, "Disconnected")
      }))
  }

  it.live("is asked to end by the end of its input, then by SIGTERM, and killed at last", () =>
    Effect.gen(function*() {
      const heard = yield* Queue.unbounded<string>()
      const scope = yield* Scope.make()
      const pid = yield* Scope.provide(
        Effect.gen(function*() {
          const transport = yield* places.stdio(stubborn, [], {
            endGrace: "300 millis",
            killGrace: "300 millis",
            onStderr: (text) => Queue.offer(heard, text)
          })
          yield* places.over(transport, { protocolVersion: "2025-11-25", limits: { drain: 0 } })
          return transport.pid
        }),
        scope
      )
      yield* Scope.close(scope, Exit.void)
      assert.isTrue(isGone(pid))
      assert.deepStrictEqual((yield* Queue.clear(heard)).join("").split("\n"), ["the input ended", "SIGTERM", ""])
    }))

  it.live("that dies fails the calls that wait, and says how it died", () =>
    Effect.gen(function*() {
      const client = yield* places.overStdio(stubborn, { protocolVersion: "2025-11-25" })
      const waiting = yield* Effect.forkChild(Effect.flip(client.callTool("never")), { startImmediately: true })
      const dying = yield* Effect.flip(client.callTool("die"))
      const reason = { _tag: "Exited" as const, code: 3, signal: null, stderr: "" }
      for (const failed of [dying, yield* Fiber.join(waiting)]) {
        assert.deepInclude(failed, { _tag: "Disconnected", sent: true, reason })
      }
    }))
})
