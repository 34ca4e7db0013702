/**
 * The server of the soak, in a process of its own: `node --expose-gc serving.ts TOOLS IDLE`. With an idle time it runs by
 * the clock of the system; without one it has the default, and time passes when it is told to.
 */
import * as McpHttp from "@parley/mcp/McpHttp"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import * as NodeHttp from "@parley/node/NodeHttp"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { setTimeout } from "node:timers/promises"
import type { Question, Stats } from "./Served.ts"

const [, , tools = "1", idle] = process.argv

let running = 0

/** Counts the handlers that run. */
const counted = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(Effect.sync(() => running++), () => effect, () => Effect.sync(() => running--))

const server = McpServer.make({
  name: "soak",
  version: "1",
  features: [
    McpTool.make("echo", { params: { text: Schema.String } }, ({ text }) => Effect.succeed(text)),
    McpTool.make("rest", { params: { ms: Schema.Int } }, ({ ms }) => counted(Effect.as(Effect.sleep(ms), "rested"))),
    McpTool.make("steps", { params: { ms: Schema.Int } }, ({ ms }, call) =>
      counted(Effect.gen(function*() {
        for (let step = 1; step <= 4; step++) {
          yield* call.progress({ progress: step, total: 4 })
          yield* call.log("info", `step ${step}`)
          yield* Effect.sleep(ms)
        }
        return "stepped"
      }))),
    McpTool.make("ask", {}, (_, call) =>
      counted(
        Effect.map(
          call.elicit("name", { message: "Who?", fields: { name: Schema.String } }),
          (answer) => answer._tag === "Accepted" ? answer.content.name : answer._tag
        )
      )),
    ...Array.from({ length: Number(tools) - 4 }, (_, index) =>
      McpTool.make(
        `tool${index}`,
        { description: "One of many.", params: { text: Schema.String, count: Schema.Int } },
        ({ text }) => Effect.succeed(text)
      ))
  ]
})

/** What is used when collecting makes it no less: some of it needs turns of the event loop in between. */
const used = async (): Promise<number> => {
  let least = Infinity
  for (let same = 0; same < 5; same++) {
    globalThis.gc?.()
    const { arrayBuffers, heapUsed } = process.memoryUsage()
    if (heapUsed + arrayBuffers < least - 64 * 1024) same = 0
    least = Math.min(least, heapUsed + arrayBuffers)
    await setTimeout(10)
  }
  return least
}

const stats = async (): Promise<Stats> => ({
  running,
  resources: process.getActiveResourcesInfo().filter((kind) => kind !== "Immediate").toSorted(),
  used: await used()
})

const main = Effect.gen(function*() {
  // The timer that keeps streams alive ends at its first beat without any: soon, so that it is seen to.
  const options = idle === undefined ? {} : { sessions: { idle: Number(idle) }, keepAlive: Number(idle) }
  const endpoint = yield* McpHttp.endpoint(yield* server, options)
  const { address } = yield* NodeHttp.serve(endpoint, { port: 0, path: "/mcp" })
  const run = Effect.runPromiseWith(yield* Effect.context<never>())
  process.on("message", (question: Question) => {
    const answer = question._tag === "Stats" ? stats() : run(TestClock.adjust(question.milliseconds))
    void answer.then((value) => process.send?.(value ?? "done"))
  })
  process.send?.(address)
  return yield* Effect.never
})

process.on("disconnect", () => process.exit())
const scoped = Effect.scoped(main)
Effect.runFork(idle === undefined ? Effect.provide(scoped, TestClock.layer()) : scoped)
