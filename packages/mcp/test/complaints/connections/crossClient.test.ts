import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Queue } from "effect"
import { sample } from "../../http-server/support/sample.ts"
import * as web from "../../http-server/support/web.ts"

describe("complaint 14: clients of a server that is shared get each other's answers", () => {
  it.effect("each gets its own, though all use the same ids at the same time, in both eras", () =>
    Effect.gen(function*() {
      const { server, waiting } = yield* sample
      const client = yield* web.open({}, server)
      const names = Array.from({ length: 20 }, (_, index) => `${index}`)
      const ask = Effect.fnUntraced(function*(name: string) {
        const params = { name: "wait", arguments: { name } }
        if (Number(name) % 2 === 0) {
          const visitor = yield* web.visit(client)
          return yield* visitor.post(web.request("tools/call", params, 1))
        }
        const _meta = { ...web.meta, "io.modelcontextprotocol/logLevel": "debug" }
        return yield* client.post(web.request("tools/call", { ...params, _meta }, 1), {
          "mcp-protocol-version": "2026-07-28",
          "mcp-method": "tools/call",
          "mcp-name": "wait"
        })
      })
      const asked = yield* Effect.forEach(names, (name) => Effect.forkChild(ask(name), { startImmediately: true }))
      const running = yield* Effect.forEach(names, () => Queue.take(waiting))
      for (const { name, tell } of running) tell(`to ${name}`)
      for (const { finish, name } of running.toReversed()) finish(`for ${name}`)
      for (const [index, pending] of asked.entries()) {
        const { read } = yield* Fiber.join(pending)
        assert.strictEqual((yield* read.message).params?.["data"], `to ${index}`)
        const answer = yield* read.message
        assert.deepStrictEqual([answer.id, web.textOf(answer)], [1, `for ${index}`])
        assert.strictEqual(yield* read.next, undefined)
      }
    }))

  it.effect("an answer to what one was asked settles nothing of another", () =>
    Effect.gen(function*() {
      const client = yield* web.open()
      const [ann, bob] = [
        yield* web.visit(client, "2025-11-25", { elicitation: { form: {} } }),
        yield* web.visit(client, "2025-11-25", { elicitation: { form: {} } })
      ]
      const [first, second] = [yield* ann.post(web.call("name")), yield* bob.post(web.call("name"))]
      const [toAnn, toBob] = [yield* first.read.message, yield* second.read.message]
      // Both are asked by the same id, which is why the session has to tell them apart.
      assert.strictEqual(toAnn.id, toBob.id)
      const answer = (name: string) => ({
        jsonrpc: "2.0",
        id: toAnn.id ?? null,
        result: { action: "accept", content: { name } }
      })
      yield* bob.post(answer("Bob"))
      yield* ann.post(answer("Ann"))
      assert.strictEqual(web.textOf(yield* first.read.message), "Ann")
      assert.strictEqual(web.textOf(yield* second.read.message), "Bob")
    }))
})
