/**
 * A rolling restart over real sockets: a server shuts down, and another one listens in its place. In the ordinary tests
 * all run in this process, once for each wire; in the slow ones each server is a process that gets SIGTERM, ten times.
 */
import { assert, describe, it } from "@effect/vitest"
import { Listener } from "@parley/transport/Listener"
import { Context, Effect, Exit, Layer, References, Scope } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { portOf } from "../support/pairs.ts"
import { measure, type Start } from "./rolling.ts"
import { serving, type WireName } from "./service.ts"

const isSlow = process.env["SLOW"] === "1"
const seeds = isSlow ? 10 : 1

/** A server in this process. */
const here: Start = (wire, port) =>
  Effect.gen(function*() {
    const number = ++servers
    const scope = yield* Scope.fork(yield* Effect.scope)
    const context = yield* Layer.buildWithScope(serving(wire, port, number), scope)
    const stop = Effect.forkDetach(Scope.close(scope, Exit.void), { startImmediately: true })
    return { number, port: portOf(Context.get(context, Listener).address), stop: Effect.asVoid(stop) }
  })
let servers = 0

const program = fileURLToPath(new URL("service.ts", import.meta.url))

/** A server in a process of its own. */
const elsewhere: Start = (wire, port) =>
  Effect.gen(function*() {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => spawn(process.execPath, [program, wire, `${port}`], { stdio: ["ignore", "pipe", "inherit"] })),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    )
    const address = yield* addressOf(child)
    const stop = Effect.sync(() => void child.kill("SIGTERM"))
    return { number: child.pid ?? 0, port: portOf(address), stop }
  })

const addressOf = (child: ChildProcess) =>
  Effect.callback<string>((resume) => {
    let all = ""
    child.stdout?.on("data", (chunk) => {
      all += chunk
      const found = /^address (.*)$/m.exec(all)?.[1]
      if (found !== undefined) resume(Effect.succeed(found))
    })
  })

/** Numbers from 0 to 1 by a seed (mulberry32). */
const random = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
}

const wires: ReadonlyArray<WireName> = ["NodeTcp", "NodeWebSocket"]

describe.for(wires)("three restarts in a row over %s", (wire) => {
  it.live.each(Array.from({ length: seeds }, (_, seed) => seed))(
    "promise 9: closing ends every call with Disconnected: and restarts in order end none, nor a stream without its gap: seed %s",
    (seed) =>
      Effect.gen(function*() {
        const { ended, failures, pauses, seen, servers } = yield* measure({
          wire,
          start: isSlow ? elsewhere : here,
          draw: random(seed),
          gap: isSlow ? 1_500 : 100
        })
        assert.deepStrictEqual([failures, ended], [[], []])
        for (const items of seen) {
          assert.deepStrictEqual(
            items,
            servers.flatMap((pid, at) => at === 0 ? [pid] : ["gap", pid])
          )
        }
        for (const pause of pauses) assert.isBelow(pause, 1_000)
      }).pipe(Effect.provideService(References.MinimumLogLevel, "None")),
    60_000
  )
})
