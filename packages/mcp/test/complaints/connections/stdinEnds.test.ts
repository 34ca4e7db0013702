import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import * as places from "../../interop/support/places.ts"

/** The server of the interoperability tests as a child, killed at the end of a test that it outlives. */
const started: Effect.Effect<ChildProcessWithoutNullStreams, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => {
    const { args, command, env } = places.command
    return spawn(command, args, { env: { ...process.env, ...env }, stdio: "pipe" })
  }),
  (child) => Effect.sync(() => void (child.exitCode === null && child.kill("SIGKILL")))
)

const next = (child: ChildProcessWithoutNullStreams) =>
  Effect.callback<string>((resume) => {
    child.stdout.once("data", (chunk: Buffer) => resume(Effect.succeed(chunk.toString())))
  })

/** How the process ends after an act. */
const ending = (child: ChildProcessWithoutNullStreams, act: () => void) =>
  Effect.callback<{ readonly code: number | null; readonly complaint: string }>((resume) => {
    let complaint = ""
    child.stderr.on("data", (chunk: Buffer) => complaint += chunk.toString())
    child.once("close", (code) => resume(Effect.succeed({ code, complaint })))
    act()
  })

const request = (id: number, method: string, params: object) =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`

const shaken = Effect.gen(function*() {
  const child = yield* started
  const clientInfo = { name: "test", version: "1" }
  child.stdin.write(request(1, "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo }))
  assert.include(yield* next(child), "\"id\":1")
  return child
})

const call = (name: string, args: object, meta: object = {}) => ({ name, arguments: args, _meta: meta })

const modern = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {}
}

describe("complaint 8: the end of stdin is not handled, and servers stay as zombies", () => {
  it.live("ends the process, in silence", () =>
    Effect.gen(function*() {
      const child = yield* shaken
      const { code, complaint } = yield* ending(child, () => child.stdin.end())
      assert.deepStrictEqual([code, complaint], [0, ""])
    }))

  for (const [era, meta] of [["legacy", {}], ["modern", modern]] as const) {
    it.live(`ends the process, although a call of the ${era} era would never end`, () =>
      Effect.gen(function*() {
        const child = yield* shaken
        child.stdin.write(request(2, "tools/call", call("wait", { name: "for ever" }, meta)))
        child.stdin.write(request(3, "tools/call", call("until", { happens: "for ever began" }, meta)))
        assert.include(yield* next(child), "for ever began")
        const { code } = yield* ending(child, () => child.stdin.end())
        assert.strictEqual(code, 0)
      }))
  }

  it.live("ends the process when nobody reads what it writes", () =>
    Effect.gen(function*() {
      const child = yield* shaken
      const { code, complaint } = yield* ending(child, () => {
        child.stdout.destroy()
        child.stdin.write(request(2, "tools/call", call("echo", { text: "a" })))
      })
      assert.deepStrictEqual([code, complaint], [0, ""])
    }))
})
