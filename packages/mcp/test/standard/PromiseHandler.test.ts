import { assert, describe, it } from "@effect/vitest"
import type { McpHandlers } from "@parley/mcp/client/McpHandlers"
import * as McpMemoryClient from "@parley/mcp/McpMemoryClient"
import * as McpPrompt from "@parley/mcp/McpPrompt"
import * as McpResource from "@parley/mcp/McpResource"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import * as PromiseHandler from "@parley/mcp/server/PromiseHandler"
import { ErrorResponse } from "@parley/peer"
import { Cause, Deferred, Effect, Fiber, Logger } from "effect"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { z } from "zod"
import { spoken } from "../server/support/line.ts"

setFlagsFromString("--expose-gc")
const collect: () => void = runInNewContext("gc")

type Feature = McpTool.McpTool | McpPrompt.McpPrompt | McpResource.McpResource | McpResource.McpResourceTemplate

const revisions = ["2025-11-25", "2026-07-28"] as const

const serverOf = (...features: ReadonlyArray<Feature>) => McpServer.make({ name: "s", version: "1", features })

const connect = Effect.fnUntraced(function*(
  revision: typeof revisions[number],
  handlers: McpHandlers,
  ...features: ReadonlyArray<Feature>
) {
  return yield* Effect.provideService(
    McpMemoryClient.make({ name: "c", version: "1", protocolVersion: revision, handlers, limits: { drain: 0 } }),
    McpServer.McpServer,
    yield* serverOf(...features)
  )
})

/** A tool that waits for its signal, and what it hears of it. */
const waiting = () => {
  const started = Deferred.makeUnsafe<AbortSignal>()
  const aborted = Deferred.makeUnsafe<void>()
  const tool = McpTool.make(
    "wait",
    {},
    PromiseHandler.make((_, { signal }) => {
      signal.addEventListener("abort", () => Deferred.doneUnsafe(aborted, Effect.void))
      Deferred.doneUnsafe(started, Effect.succeed(signal))
      return new Promise<string>(() => undefined)
    })
  )
  return { aborted, started, tool }
}

describe.each(revisions)("the signal of an asynchronous handler, in %s", (revision) => {
  it.effect("is aborted when the client cancels the call, which is not answered", () =>
    Effect.gen(function*() {
      const { aborted, started, tool } = waiting()
      const { line, params } = yield* spoken(yield* serverOf(tool), revision)
      yield* line.write({ jsonrpc: "2.0", id: "slow", method: "tools/call", params: params({ name: "wait" }) })
      const signal = yield* Deferred.await(started)
      assert.isFalse(signal.aborted)
      yield* line.write({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "slow" } })
      yield* Deferred.await(aborted)
      yield* line.result("tools/list", params())
      assert.deepStrictEqual(line.aside, [])
    }))

  it.effect("is aborted when the client leaves", () =>
    Effect.gen(function*() {
      const { aborted, started, tool } = waiting()
      const server = yield* serverOf(tool)
      yield* Effect.scoped(Effect.gen(function*() {
        const { line, params } = yield* spoken(server, revision)
        yield* line.write({ jsonrpc: "2.0", id: 1, method: "tools/call", params: params({ name: "wait" }) })
        yield* Deferred.await(started)
      }))
      yield* Deferred.await(aborted)
    }))
})

describe.each(revisions)("a Promise of a handler that is rejected, in %s", (revision) => {
  const failing = (name: string, fail: () => Promise<string>) => McpTool.make(name, {}, PromiseHandler.make(fail))

  it.effect("is what a typed failure is: a result that says why, for the model", () =>
    Effect.gen(function*() {
      const thrown = () => {
        throw new Error("before the first Promise")
      }
      const client = yield* connect(
        revision,
        {},
        failing("later", () => Promise.reject(new Error("out of stock"))),
        failing("text", () => Promise.reject("out of words")),
        failing("thrown", thrown),
        failing("refused", () => Promise.reject(ErrorResponse.make(4_000, "not today")))
      )
      const messageOf = (name: string) => Effect.map(Effect.flip(client.callTool(name)), ({ message }) => message)
      assert.strictEqual(yield* messageOf("later"), "the tool later failed: out of stock")
      assert.strictEqual(yield* messageOf("text"), "the tool text failed: out of words")
      assert.strictEqual(yield* messageOf("thrown"), "the tool thrown failed: before the first Promise")
      assert.deepInclude(yield* Effect.flip(client.callTool("refused")), { _tag: "ProtocolError", code: 4_000 })
    }))

  it.effect("stays a defect where an Effect of its call had one, which is logged and hidden", () =>
    Effect.gen(function*() {
      const logged: Array<string> = []
      const logger = Logger.make(({ cause }) => void logged.push(Cause.pretty(cause)))
      const client = yield* connect(
        revision,
        {},
        McpTool.make("t", {}, PromiseHandler.make((_, { run }) => run(Effect.die(new Error("a secret")))))
      ).pipe(Effect.provide(Logger.layer([logger])))
      const error = yield* Effect.flip(client.callTool("t"))
      assert.deepInclude(error, { _tag: "ProtocolError", code: -32603, text: "Internal error" })
      assert.match(logged[0] ?? "", /a secret/)
    }))

  it.effect("is the error of a prompt and of a resource", () =>
    Effect.gen(function*() {
      const lost = () => Promise.reject(new Error("it is lost"))
      const client = yield* connect(
        revision,
        {},
        McpPrompt.make("p", {}, PromiseHandler.make(lost)),
        McpResource.make(
          "test:r",
          { name: "r" },
          PromiseHandler.resource((_, uri) => {
            return Promise.reject(McpResource.notFound(uri))
          })
        ),
        McpResource.template("test://{a}", { name: "t" }, PromiseHandler.template(lost))
      )
      assert.deepInclude(yield* Effect.flip(client.getPrompt("p")), { code: -32603, text: "it is lost" })
      assert.deepInclude(yield* Effect.flip(client.readResource("test:r")), { text: "Resource not found" })
      assert.deepInclude(yield* Effect.flip(client.readResource("test://x")), { code: -32603, text: "it is lost" })
    }))
})

describe.each(revisions)("the call of an asynchronous handler, in %s", (revision) => {
  it.effect("asks, and keeps what must happen once, as an Effect does", () =>
    Effect.gen(function*() {
      let charged = 0
      let runs = 0
      const asked: Array<string> = []
      const handlers: McpHandlers = {
        elicit: ({ message }) =>
          Effect.sync(() => {
            asked.push(message)
            return { action: "accept" as const, content: { name: message } }
          }),
        sample: () =>
          Effect.succeed({ role: "assistant" as const, content: { type: "text" as const, text: "4" }, model: "m" }),
        roots: Effect.succeed([{ uri: "file:///w" }])
      }
      const fields = z.object({ name: z.string().toUpperCase() })
      const tool = McpTool.make(
        "t",
        { result: z.object({ said: z.array(z.string()) }) },
        PromiseHandler.make(async (_, call) => {
          runs++
          const total = await call.memo("charge", z.number(), async (call) => {
            const first = await call.elicit("card", { message: "card", fields })
            charged++
            return first._tag === "Accepted" ? first.content.name.length : 0
          })
          const [user, sum, roots, next] = await Promise.all([
            call.elicit("user", { message: "user", fields }),
            call.sample("sum", { messages: [{ role: "user", content: { type: "text", text: "2+2?" } }], maxTokens: 5 }),
            call.listRoots(),
            call.ask("next", { method: "roots/list" })
          ])
          const text = sum.content
          const said = [
            String(total),
            user._tag === "Accepted" ? user.content.name : user._tag,
            "text" in text ? text.text : "",
            ...roots.map(({ uri }) => uri),
            String(next.roots.length)
          ]
          return { said }
        })
      )
      const client = yield* connect(revision, handlers, tool)
      const { structuredContent } = yield* client.callTool("t")
      assert.deepStrictEqual(structuredContent, { said: ["4", "USER", "4", "file:///w", "1"] })
      assert.deepStrictEqual([asked, charged], [["card", "user"], 1])
      assert.strictEqual(runs, revision === "2026-07-28" ? 3 : 1)
    }))

  it.effect("reports progress, and knows what a call knows", () =>
    Effect.gen(function*() {
      const tool = McpTool.make(
        "t",
        {},
        PromiseHandler.make(async (_, call) => {
          await call.progress({ progress: 1, total: 2 })
          await call.log("info", "half of it")
          await call.closeStream()
          await call.detach()
          const clock = await call.run(Effect.clockWith((clock) => clock.currentTimeMillis))
          return JSON.stringify([
            call.client.info?.name,
            call.protocolVersion,
            call.method,
            call.principal ?? "nobody",
            call.auth.scopes,
            call.header("x") ?? "none",
            call.task ?? "no task",
            typeof call.meta,
            typeof call.server,
            call.id !== undefined,
            call.party === call.session,
            clock
          ])
        })
      )
      const client = yield* connect(revision, {}, tool)
      const steps: Array<number> = []
      const { content } = yield* client.callTool("t", {}, { onProgress: ({ progress }) => void steps.push(progress) })
      assert.deepStrictEqual(steps, [1])
      const [block] = content
      assert.deepStrictEqual(JSON.parse(block?.type === "text" ? block.text : ""), [
        "c",
        revision,
        "tools/call",
        "nobody",
        "all",
        "none",
        "no task",
        "object",
        "object",
        true,
        revision === "2025-11-25",
        0
      ])
    }))

  it.effect("fails a question that the client cannot be asked, and ends no process by one that nobody awaits", () =>
    Effect.gen(function*() {
      const fields = z.object({ name: z.string() })
      const client = yield* connect(
        revision,
        {},
        McpTool.make(
          "caught",
          {},
          PromiseHandler.make((_, call) =>
            call.elicit("k", { message: "?", fields }).then(() => "asked", (error: Error) => error.name)
          )
        ),
        McpTool.make(
          "left",
          {},
          PromiseHandler.make(async (_, call) => {
            void call.elicit("k", { message: "?", fields })
            return "done"
          })
        ),
        McpTool.make("effect", {}, (_, call) => Effect.as(call.elicit("k", { message: "?", fields }), "asked")),
        McpTool.make(
          "open",
          {},
          PromiseHandler.make(async (_, call) => {
            await call.elicit("k", { message: "?", fields })
            return "asked"
          })
        )
      )
      const textOf = (name: string) => Effect.map(client.callTool(name), ({ content }) => content)
      assert.deepStrictEqual(yield* textOf("caught"), [{ type: "text", text: "ClientCapabilityMissing" }])
      assert.deepStrictEqual(yield* textOf("left"), [{ type: "text", text: "done" }])
      const [one, other] = yield* Effect.all([
        Effect.flip(client.callTool("effect")),
        Effect.flip(client.callTool("open"))
      ])
      assert.strictEqual(one._tag, other._tag)
      const plain = (message: string) => message.replace(/ \(id \d+\)/, "").replace("effect", "open")
      assert.strictEqual(plain(one.message), plain(other.message))
    }))

  it.effect("leaves undone what a handler still does after its call has been cancelled, and rejects nothing", () =>
    Effect.gen(function*() {
      const started = yield* Deferred.make<void>()
      const cancelled = yield* Deferred.make<void>()
      const done: Array<string> = []
      const after = async (what: string, promise: Promise<unknown>) => {
        await promise
        done.push(what)
      }
      const tool = McpTool.make(
        "t",
        {},
        PromiseHandler.make(async (_, call) => {
          // Nobody waits for these; a rejection of one would end the process.
          void after("what had begun", call.run(Effect.never))
          call.signal.addEventListener("abort", () => {
            void after("what began later", call.run(Effect.sync(() => done.push("an Effect"))))
            Deferred.doneUnsafe(cancelled, Effect.void)
          })
          Deferred.doneUnsafe(started, Effect.void)
          await call.run(Effect.never)
          return ""
        })
      )
      const client = yield* connect(revision, {}, tool)
      const calling = yield* Effect.forkChild(client.callTool("t"))
      yield* Deferred.await(started)
      yield* Fiber.interrupt(calling)
      yield* Deferred.await(cancelled)
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      assert.deepStrictEqual(done, [])
    }))

  it.effect("leaves undone what a handler still does after its answer", () =>
    Effect.gen(function*() {
      const answered = yield* Deferred.make<void>()
      const done: Array<string> = []
      const tool = McpTool.make(
        "t",
        {},
        PromiseHandler.make(async (_, call) => {
          void Effect.runPromise(Deferred.await(answered)).then(() => call.run(Effect.sync(() => done.push("late"))))
          return "x"
        })
      )
      const client = yield* connect(revision, {}, tool)
      yield* client.callTool("t")
      yield* Deferred.succeed(answered, undefined)
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      assert.deepStrictEqual(done, [])
    }))

  it.effect("is freed with the handler that was left behind", () =>
    Effect.gen(function*() {
      const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      const frames: Array<WeakRef<object>> = []
      let started = Deferred.makeUnsafe<void>()
      const tool = McpTool.make(
        "t",
        {},
        PromiseHandler.make(async (_, call) => {
          const frame = { steps: 0 }
          frames.push(new WeakRef(frame))
          for (;;) {
            await call.progress({ progress: frame.steps++ })
            Deferred.doneUnsafe(started, Effect.void)
            await new Promise((resolve) => setImmediate(resolve))
          }
        })
      )
      const client = yield* connect(revision, {}, tool)
      const calls = 50
      for (let call = 0; call < calls; call++) {
        started = Deferred.makeUnsafe()
        const calling = yield* Effect.forkChild(client.callTool("t"))
        yield* Deferred.await(started)
        yield* Fiber.interrupt(calling)
      }
      const kept = () => frames.filter((frame) => frame.deref() !== undefined).length
      // Some of what a call leaves is collected only after a few turns of the event loop.
      for (let turns = 0; turns < 20 && kept() > 2; turns++) {
        yield* turn
        collect()
      }
      assert.strictEqual(frames.length, calls)
      // The engine may still know the last call.
      assert.isAtMost(kept(), 2)
    }))
})
