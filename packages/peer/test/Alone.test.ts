import { assert, describe, it } from "@effect/vitest"
import { ErrorResponse, type Router } from "@parley/peer"
import { Alone } from "@parley/peer/shared"
import { Dialect, Limits } from "@parley/protocol"
import { Budget } from "@parley/transport/shared"
import { Effect, Fiber } from "effect"
import { failure, notification, request, routerOf, settle, success } from "./wire.ts"

const handlers: Router.Handlers = {
  echo: ({ params }) => Effect.succeed(params ?? null),
  refuse: () => Effect.fail(ErrorResponse.make(7, "Refused", { why: "so" })),
  huge: () => Effect.succeed("x".repeat(2_000)),
  broken: () => Effect.die("broken"),
  ask: ({ peer }) => Effect.match(peer.request("who"), { onSuccess: () => "asked", onFailure: (error) => error._tag }),
  tell: ({ peer }) => Effect.as(Effect.orDie(peer.notify("log", ["begun"])), "told"),
  key: ({ connection }) => Effect.succeed(connection === undefined ? "none" : "one")
}

const rulesOf = (router: Router.Router, limits?: Partial<Limits.Limits>) => ({
  router,
  dialect: Dialect.jsonRpc,
  limits: Limits.make(limits)
})

const textOf = (id: number, result: unknown) => JSON.stringify({ jsonrpc: "2.0", id, result })

describe("a text that stands alone", () => {
  it.effect("has an outcome: a reply, and the error that this is", () =>
    Effect.gen(function*() {
      const rules = rulesOf(yield* routerOf(handlers), { frame: 1_024 })
      assert.deepStrictEqual(yield* Alone.answer(request(1, "echo", [1]), rules), {
        text: textOf(1, [1]),
        error: undefined
      })
      const codes = { refuse: 7, broken: -32603, huge: -32001, none: -32601 }
      for (const [method, code] of Object.entries(codes)) {
        const { error, text = "" } = yield* Alone.answer(request(1, method), rules)
        assert.strictEqual(error?.code, code, method)
        assert.deepStrictEqual(JSON.parse(text).error, error)
      }
      const { error } = yield* Alone.answer(request("x".repeat(600), "echo"), rules)
      assert.strictEqual(error?.code, -32600)
    }))

  it.effect("is answered by nothing where it asks for nothing", () =>
    Effect.gen(function*() {
      const rules = rulesOf(yield* routerOf(handlers))
      for (const text of [notification("echo"), success(1, "late"), `[${notification("refuse")}]`]) {
        assert.deepStrictEqual(yield* Alone.answer(text, rules), { text: undefined, error: undefined })
      }
    }))

  it.effect("promise 19: end of input drains: it is answered when the time of its host is over, with what ends its calls", () =>
    Effect.gen(function*() {
      const rules = rulesOf(yield* routerOf({ ...handlers, hang: () => Effect.never }))
      const hearing = new Set<(step: Router.DrainStep) => void>()
      const onDraining: Router.OnDraining = (hear) => {
        hearing.add(hear)
        return () => hearing.delete(hear)
      }
      const tell = (step: Router.DrainStep) => hearing.forEach((hear) => hear(step))
      const text = `[${request(1, "echo", [1])},${request(2, "hang")}]`
      const answering = yield* Effect.forkChild(Alone.answer(text, { ...rules, onDraining }), {
        startImmediately: true
      })
      tell("begins")
      yield* settle
      assert.isUndefined(answering.pollUnsafe())
      tell("over")
      const shutDown = failure(2, -32000, "Shutting down", { started: true })
      const answer = (yield* Fiber.join(answering)).text ?? ""
      assert.deepStrictEqual(JSON.parse(answer), [JSON.parse(textOf(1, [1])), shutDown])
      assert.strictEqual(hearing.size, 0)
    }))

  it.effect("lets handlers tell by the way of its host, ask nothing, and share no connection", () =>
    Effect.gen(function*() {
      const rules = rulesOf(yield* routerOf(handlers))
      const sent: Array<string> = []
      const send = (text: string) => Effect.sync(() => void sent.push(text))
      const results = yield* Effect.forEach(
        ["tell", "ask", "key"],
        (method) =>
          Effect.map(Alone.answer(request(1, method), { ...rules, send }), ({ text = "" }) => JSON.parse(text).result)
      )
      assert.deepStrictEqual(results, ["told", "Disconnected", "none"])
      assert.deepStrictEqual(sent, [notification("log", ["begun"])])
    }))

  it.effect("counts on the budget of its host while it runs, and is refused where that is spent", () =>
    Effect.gen(function*() {
      const rules = rulesOf(yield* routerOf({ slow: () => Effect.never }))
      const whole = Budget.make(10_000)
      const first = yield* Effect.forkChild(Alone.answer(request(1, "slow"), { ...rules, budget: whole }))
      yield* settle
      assert.isAbove(whole.taken(), 0)
      whole.take(10_000)
      const { error } = yield* Alone.answer(request(2, "slow"), { ...rules, budget: whole })
      assert.strictEqual(error?.message, "Overloaded")
      yield* Fiber.interrupt(first)
      assert.strictEqual(whole.taken(), 10_000)
    }))
})
