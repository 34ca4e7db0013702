/** A server behind that says and asks more than its clients take. */
import { assert, describe, it } from "@effect/vitest"
import * as McpGateway from "@parley/mcp-gateway/McpGateway"
import * as McpUpstream from "@parley/mcp-gateway/McpUpstream"
import type { McpContext } from "@parley/mcp/McpContext"
import * as McpTool from "@parley/mcp/McpTool"
import type { Feature } from "@parley/mcp/server/Feature"
import { Shares } from "@parley/mcp/shared"
import * as McpError from "@parley/mcp/wire/McpError"
import { Deferred, type Duration, Effect, Exit, Fiber, Schema, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as Backlog from "../../src/internal/upstream/calls/Backlog.ts"
import { Calls } from "../../src/internal/upstream/calls/Calls.ts"
import { Running } from "../../src/internal/upstream/calls/Running.ts"
import * as users from "../logins/support/users.ts"
import { clientAs, gatewayOf, made, reach, settled } from "../support/gateways.ts"
import { pairs } from "../support/pairs.ts"

const mega = 1024 * 1024

const said = (size: number) => ({ log: "x".repeat(Math.max(0, size - "{\"log\":\"\"}".length)) })

describe("what waits of one call", () => {
  it("is bounded by its number and by its characters, and the oldest goes first", () => {
    const backlog = new Backlog.Backlog<object>(new Backlog.Room().of(undefined))
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
    const room = new Backlog.Room().of("a session")
    const backlogs = Array.from({ length: 100 }, () => new Backlog.Backlog<object>(room))
    for (const backlog of backlogs) backlog.push(said(mega))
    assert.isFalse(room.has(1))
    assert.strictEqual(backlogs.filter((backlog) => backlog.shift() !== undefined).length, 16)
    assert.isTrue(room.has(16 * mega))
    const [mine, other] = [new Backlog.Backlog<object>(room), new Backlog.Backlog<object>(room)]
    mine.push(said(100))
    for (let count = 0; count < 15; count++) new Backlog.Backlog<object>(room).push(said(mega))
    other.push(said(mega - 100))
    mine.push(said(101))
    assert.deepStrictEqual([mine.shift(), mine.shift(), other.shift()], [said(100), undefined, said(mega - 100)])
    room.give(15 * mega)
    for (const backlog of backlogs) {
      backlog.push(said(mega))
      backlog.end()
      backlog.push(said(mega))
    }
    assert.isTrue(room.has(16 * mega))
  })

  it("leaves room to others, whatever one party or all without a principal take", () => {
    const room = new Backlog.Room()
    const [ada, eve] = [room.of(Shares.ofPrincipal("ada")), room.of(Shares.ofPrincipal("eve"))]
    assert.deepStrictEqual([ada.take(16 * mega), ada.take(1)], [true, false])
    const unnamed = Array.from({ length: 5 }, (_, index) => room.of(`session ${index}`).take(16 * mega))
    // All but the share of one party, of which ada has hers.
    assert.deepStrictEqual(unnamed, [true, true, true, false, false])
    ada.give(16 * mega)
    assert.deepStrictEqual([room.of(undefined).take(1), eve.take(16 * mega), ada.take(1)], [false, true, false])
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
      yield* calls.add(first, 25 * mega)
      const error = yield* Effect.flip(calls.add(second, 25 * mega))
      assert.strictEqual(error.code, McpError.Overloaded)
      assert.include(error.message, "No room for a call of the server far")
      calls.end(first)
      assert.isTrue(room.of(undefined).has(48 * mega))
      yield* calls.add(second, 25 * mega)
      calls.end(second)
      assert.deepStrictEqual([room.of(undefined).has(48 * mega), all.size], [true, 0])
    }))

  it.effect("take room for a result that comes while nobody waits for it, or lose it", () =>
    Effect.gen(function*() {
      const room = new Backlog.Room()
      const result = { text: "x".repeat(10 * mega) }
      const calls = [1, 2].map(() => new Running({ party: Shares.ofPrincipal("ada"), principal: "ada" }, room))
      for (const call of calls) call.settle(Exit.succeed(result))
      const exits = yield* Effect.forEach(calls, (call) => Effect.exit(call.attend({} as never)))
      assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, false])
      for (const call of calls) call.end()
      assert.isTrue(room.of(Shares.ofPrincipal("ada")).has(16 * mega))
    }))

  const blob = "x".repeat(9 * mega)
  const question = { message: "?", fields: { name: Schema.String } }
  const leaving = {
    protocolVersion: "2026-07-28",
    timeout: "10 hours",
    handlers: { elicit: () => Effect.never }
  } as const
  /** A server of which one tool asks, and waits for so long. */
  const askingFor = (patience: Duration.Input) =>
    made("far", [
      McpTool.make("ask", { params: { blob: Schema.String } }, (_, call) =>
        Effect.as(Effect.timeoutOption(Effect.exit(call.elicit("q", question)), patience), "done")),
      McpTool.make("quick", { params: { blob: Schema.String } }, () =>
        Effect.succeed("ok"))
    ])

  /** A call that finds no room as long as the one that its client has left is kept. */
  const afterLeaving = Effect.fnUntraced(function*(gateway: McpGateway.McpGateway, after: Duration.Input) {
    const client = yield* clientAs(gateway, "ada", leaving)
    const call = yield* Effect.forkChild(client.callTool("far_ask", { blob }), { startImmediately: true })
    yield* settled
    yield* TestClock.adjust(after)
    yield* settled
    yield* Fiber.interrupt(call)
    const again = Effect.exit(client.callTool("far_quick", { blob }))
    assert.isTrue(Exit.isFailure(yield* again))
    return again
  })

  it.effect("give their room back though their server has been replaced", () =>
    Effect.gen(function*() {
      const server = yield* askingFor("2 seconds")
      const member = () => ({ connect: reach(server, "2025-11-25") })
      const gateway = yield* McpGateway.make({ name: "gateway", version: "1", servers: { far: member() } })
      yield* settled
      const again = yield* afterLeaving(gateway, "5 seconds")
      yield* gateway.reload({ far: member() })
      yield* TestClock.adjust("20 seconds")
      yield* settled
      yield* TestClock.adjust("10 minutes")
      yield* settled
      assert.isTrue(Exit.isSuccess(yield* again))
    }), 20_000)

  it.effect("give their room back though the client of their user has ended", () =>
    Effect.gen(function*() {
      const server = yield* askingFor("1 hour")
      const idle = { far: "2025-11-25", idle: "5 minutes" } as const
      const gateway = yield* McpGateway.make(yield* users.options(() => server, idle))
      yield* settled
      const again = yield* afterLeaving(gateway, 0)
      for (let minute = 0; minute < 30; minute++) {
        yield* TestClock.adjust("1 minute")
        yield* settled
      }
      assert.isTrue(Exit.isSuccess(yield* again))
    }), 20_000)

  it.effect("count with their metadata and the URI that they read", () =>
    Effect.gen(function*() {
      const gateway = yield* gatewayOf({ far: yield* askingFor("1 hour") }, "2025-11-25")
      yield* settled
      const client = yield* clientAs(gateway, "ada", leaving)
      const call = () => client.callTool("far_ask", { blob: "" }, { meta: { blob } })
      yield* Effect.forkChild(call(), { startImmediately: true })
      yield* settled
      assert.include(String(yield* Effect.flip(call())), "No room for a call of the server far")
    }), 20_000)

  it.effect.each(pairs)(
    "end with an error where their server has ended before they began: %j",
    ({ far, near }) =>
      Effect.gen(function*() {
        const scope = yield* Scope.make()
        const connect = reach(yield* askingFor("1 second"), far)
        const upstream = yield* Scope.provide(
          McpUpstream.make({ name: "far", connect }),
          scope
        )
        yield* settled
        const ending = (feature: Feature): Feature =>
          feature._tag !== "McpTool" ? feature : {
            ...feature,
            bind: (context) => {
              const serve = feature.bind(context)
              return (args: Schema.JsonObject, call: McpContext) =>
                Effect.andThen(Scope.close(scope, Exit.void), Effect.suspend(() => serve(args, call)))
            }
          }
        const gateway = yield* made("gateway", [])
        yield* gateway.mount({
          ...upstream,
          featuresFor: (call) => Effect.map(upstream.featuresFor(call), (all) => all.map(ending))
        })
        const client = yield* clientAs(gateway, "ada", { ...leaving, protocolVersion: near })
        yield* Effect.flip(client.callTool("quick", { blob: "" }))
      })
  )
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
      assert.isTrue(room.of(undefined).has(48 * mega))
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

describe("questions of a session", () => {
  it.effect("outside of its calls are bounded, too, and give their room back", () =>
    Effect.gen(function*() {
      const ended: Array<{ readonly message: string; readonly code: unknown }> = []
      const withCode = (code: unknown) => ended.filter((one) => one.code === code)
      const asked = yield* Deferred.make<void>()
      const long = "x".repeat(mega)
      const start = McpTool.make("start", {}, (_, call) =>
        Effect.gen(function*() {
          const session = call.session
          assert.isDefined(session)
          const ask = (message: string) =>
            Effect.map(
              Effect.exit(session.ask({
                method: "elicitation/create",
                params: { message, requestedSchema: { type: "object", properties: {} } }
              })),
              (exit) =>
                ended.push({
                  message,
                  code: Exit.isSuccess(exit) ? "answered" : Object(exit.cause.reasons[0]).error?.code
                })
            )
          yield* Effect.forkDetach(Effect.andThen(
            Deferred.await(asked),
            Effect.forEach(
              [...Array.from({ length: 20 }, () => long), ...Array.from({ length: 80 }, () => "?")],
              ask,
              { concurrency: "unbounded" }
            )
          ))
          return "started"
        }))
      const gateway = yield* gatewayOf({ far: yield* made("far", [start]) }, "2025-11-25")
      yield* settled
      const answer = yield* Deferred.make<void>()
      const client = yield* clientAs(gateway, "ada", {
        protocolVersion: "2025-11-25",
        timeout: "1 hour",
        handlers: { elicit: () => Effect.as(Deferred.await(answer), { action: "accept" as const, content: {} }) }
      })
      yield* client.callTool("far_start")
      yield* settled
      yield* Deferred.succeed(asked, undefined)
      for (let time = 0; time < 20; time++) yield* settled
      const refused = withCode(McpError.Overloaded)
      // Fifteen of the long ones have room, and sixty-four wait in all.
      assert.deepStrictEqual([refused.length, refused.filter(({ message }) => message === long).length], [36, 5])
      yield* Deferred.succeed(answer, undefined)
      for (let time = 0; time < 20; time++) yield* settled
      assert.lengthOf(withCode("answered"), 64)
    }), 20_000)
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
