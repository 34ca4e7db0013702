/** A server behind that says and asks more than its clients take. */
import { assert, describe, it } from "@effect/vitest"
import * as McpTool from "@parley/mcp/McpTool"
import * as McpError from "@parley/mcp/wire/McpError"
import { Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as Backlog from "../../src/internal/upstream/calls/Backlog.ts"
import { Calls } from "../../src/internal/upstream/calls/Calls.ts"
import { Running } from "../../src/internal/upstream/calls/Running.ts"
import { clientAs, gatewayOf, made, settled } from "../support/gateways.ts"
import { pairs } from "../support/pairs.ts"

const mega = 1024 * 1024

const said = (size: number) => ({ log: "x".repeat(Math.max(0, size - "{\"log\":\"\"}".length)) })

describe("what waits of one call", () => {
  it("is bounded by its number and by its characters, and the oldest goes first", () => {
    const backlog = new Backlog.Backlog<object>(new Backlog.Room())
    for (let index = 0; index < 1_000; index++) backlog.push({ index })
    const left = Array.from({ length: 256 }, () => backlog.shift())
    assert.deepStrictEqual(left.slice(0, 1), [{ index: 744 }])
    assert.isUndefined(backlog.shift())
    for (const size of [mega / 2, mega / 2, 10]) backlog.push(said(size))
    assert.deepStrictEqual([backlog.shift(), backlog.shift(), backlog.shift()], [said(mega / 2), said(10), undefined])
    backlog.push(said(10 * mega))
    assert.deepStrictEqual(backlog.shift(), said(10 * mega))
  })

  it("has its part of the room of all calls, gives it back, and is not dropped for what finds no room", () => {
    const room = new Backlog.Room()
    const backlogs = Array.from({ length: 100 }, () => new Backlog.Backlog<object>(room))
    for (const backlog of backlogs) backlog.push(said(mega))
    assert.isFalse(room.has(1))
    assert.strictEqual(backlogs.filter((backlog) => backlog.shift() !== undefined).length, 32)
    assert.isTrue(room.has(32 * mega))
    const [mine, other] = [new Backlog.Backlog<object>(room), new Backlog.Backlog<object>(room)]
    mine.push(said(100))
    for (let count = 0; count < 31; count++) new Backlog.Backlog<object>(room).push(said(mega))
    other.push(said(mega - 100))
    mine.push(said(101))
    assert.deepStrictEqual([mine.shift(), mine.shift(), other.shift()], [said(100), undefined, said(mega - 100)])
    room.give(31 * mega)
    for (const backlog of backlogs) {
      backlog.push(said(mega))
      backlog.end()
      backlog.push(said(mega))
    }
    assert.isTrue(room.has(32 * mega))
  })
})

describe("calls that may wait for their clients", () => {
  it.effect("take room for their arguments, are refused without it, and give it back", () =>
    Effect.gen(function*() {
      const room = new Backlog.Room()
      const scope = yield* Effect.scope
      const all = new Map<string, Running>()
      const calls = new Calls({ server: "far", most: 8, mostOfOne: 8, patience: 1_000, scope, room, all })
      const call = () => new Running({ party: undefined, principal: undefined }, room)
      const [first, second] = [call(), call()]
      yield* calls.add(first, 20 * mega)
      const error = yield* Effect.flip(calls.add(second, 20 * mega))
      assert.strictEqual(error.code, McpError.Overloaded)
      assert.include(error.message, "No room for a call of the server far")
      calls.end(first)
      assert.isTrue(room.has(32 * mega))
      yield* calls.add(second, 20 * mega)
      calls.end(second)
      assert.deepStrictEqual([room.has(32 * mega), all.size], [true, 0])
    }))
})

describe("questions of one call", () => {
  const question = {
    method: "elicitation/create",
    params: { message: "?", requestedSchema: { type: "object", properties: {} } }
  } as const

  it.effect("each have a key, whatever keys the server gives, and give their room back", () =>
    Effect.gen(function*() {
      const room = new Backlog.Room()
      const call = new Running({ party: undefined, principal: undefined }, room)
      const keys = ["question-1", "k".repeat(300), undefined, "a", "a", "a-4", "question-1"]
      const asking = yield* Effect.forEach(
        keys,
        (key) => Effect.forkChild(Effect.exit(call.ask(question, key)), { startImmediately: true })
      )
      // Its client answers each question with its key.
      const client = { ask: (key: string) => Effect.succeed(key) } as never
      const attending = yield* Effect.forkChild(call.attend(client), { startImmediately: true })
      const given = yield* Fiber.joinAll(asking)
      const values = given.map((exit) => Exit.isSuccess(exit) ? String(exit.value) : "none")
      assert.strictEqual(new Set(values).size, keys.length, values.join(" "))
      yield* Fiber.interrupt(attending)
      const left = yield* Effect.forkChild(Effect.exit(call.ask(question, "last")), { startImmediately: true })
      call.end()
      assert.isTrue(Exit.isFailure(yield* Fiber.join(left)))
      assert.isTrue(Exit.isFailure(yield* Effect.exit(call.ask(question, "late"))))
      assert.isTrue(room.has(32 * mega))
    }))

  it.effect.each(pairs.filter(({ far }) => far !== "2026-07-28"))(
    "beyond so many at once are refused, and the others wait: %j",
    ({ far, near }) =>
      Effect.gen(function*() {
        const answers: Array<unknown> = []
        const ask = McpTool.make("ask", {}, (_, call) =>
          Effect.as(
            Effect.forEach(
              Array.from({ length: 100 }),
              (_, index) =>
                Effect.map(Effect.exit(call.ask(`q${index}`, question)), (exit) =>
                  answers.push(
                    Exit.isSuccess(exit) || Exit.hasInterrupts(exit)
                      ? "asked"
                      : Object(exit.cause.reasons[0]).error.code
                  )),
              { concurrency: "unbounded" }
            ),
            "done"
          ))
        const gateway = yield* gatewayOf({ far: yield* made("far", [ask]) }, far)
        yield* settled
        const client = yield* clientAs(gateway, "ada", {
          protocolVersion: near,
          timeout: "1 hour",
          handlers: { elicit: () => Effect.never }
        })
        yield* Effect.forkChild(client.callTool("far_ask"), { startImmediately: true })
        yield* settled
        assert.strictEqual(answers.filter((code) => code === McpError.Overloaded).length, 36)
      })
  )
})

describe("changes of the lists of a server", () => {
  it.effect("are told at most once in a second, and the last one is not lost", () =>
    Effect.gen(function*() {
      const server = yield* made("far", [McpTool.make("first", {}, () => Effect.succeed("first"))])
      const gateway = yield* gatewayOf({ far: server })
      const client = yield* clientAs(gateway, "ada")
      yield* settled
      yield* TestClock.adjust("5 seconds")
      let count = 0
      yield* gateway.onChange((change) => {
        if ("list" in change && change.list === "tools") count++
      })
      for (let time = 0; time < 100; time++) {
        yield* server.add([McpTool.make(`more${time}`, {}, () => Effect.succeed("more"))])
        yield* settled
        yield* TestClock.adjust("50 millis")
      }
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(count, 6)
      yield* server.add([McpTool.make("late", {}, () => Effect.succeed("late"))])
      yield* settled
      assert.strictEqual(count, 7)
      assert.lengthOf(yield* client.listTools(), 102)
    }))
})
