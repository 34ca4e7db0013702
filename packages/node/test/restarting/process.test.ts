/** A rolling restart: one process gets SIGTERM, and another one listens in its place. */
import { assert, describe, it } from "@effect/vitest"
import { Retry } from "@parley/middleware"
import * as NodeWebSocket from "@parley/node/NodeWebSocket"
import { Reconnecting } from "@parley/peer"
import { Deferred, Effect, References, Schedule, Stream } from "effect"
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { portOf } from "../support/pairs.ts"
import { Service } from "./service.ts"

const program = fileURLToPath(new URL("service.ts", import.meta.url))

/** A process that serves, and its port. */
const started = (port: number) =>
  Effect.gen(function*() {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => spawn(process.execPath, [program, `${port}`], { stdio: ["ignore", "pipe", "inherit"] })),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    )
    const address = yield* Effect.callback<string>((resume) => {
      let all = ""
      child.stdout.on("data", (chunk) => {
        all += chunk
        const found = /^address (.*)$/m.exec(all)?.[1]
        if (found !== undefined) resume(Effect.succeed(found))
      })
    })
    return { child, port: portOf(address) }
  })

describe("a rolling restart", () => {
  it.live("promise 9: closing ends every call with Disconnected: and a restart in order ends none", () =>
    Effect.gen(function*() {
      const first = yield* started(0)
      const caller = yield* Reconnecting.make({ open: NodeWebSocket.makeTransport({ port: first.port }) })
      // A request may be on its way when the connection ends. Nothing tells that it has not started.
      const service = Service.client(Retry.caller({ schedule: Schedule.recurs(2) })(caller))
      const failures: Array<unknown> = []
      const fail = (error: unknown) => Effect.sync(() => void failures.push(error))
      const heard = { first: yield* Deferred.make<void>(), second: yield* Deferred.make<void>() }
      const seen: { readonly [name in "feed" | "events"]: Array<number> } = { feed: [], events: [] }
      for (const name of ["feed", "events"] as const) {
        const consume = Stream.runForEach(Reconnecting.resume(caller)(service[name]()), (item) =>
          Effect.suspend(() => {
            if (Reconnecting.isGap(item)) return Effect.void
            seen[name].push(item)
            const least = Math.min(seen.feed.length, seen.events.length)
            return least === 0 ? Effect.void : Deferred.succeed(least === 1 ? heard.first : heard.second, undefined)
          }))
        yield* Effect.forkScoped(Effect.catch(consume, fail))
      }
      const answers = new Set<number>()
      const poll = Effect.matchEffect(service.poll(), {
        onFailure: fail,
        onSuccess: (pid) => Effect.sync(() => void answers.add(pid))
      })
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(poll, Effect.sleep("5 millis"))))
      yield* Deferred.await(heard.first)
      first.child.kill("SIGTERM")
      const second = yield* started(first.port)
      yield* Deferred.await(heard.second)
      while (!answers.has(second.child.pid ?? 0)) yield* Effect.yieldNow
      const pids = [first.child.pid, second.child.pid]
      assert.deepStrictEqual([failures, [...answers], seen], [[], pids, { feed: pids, events: pids }])
    }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))
})
