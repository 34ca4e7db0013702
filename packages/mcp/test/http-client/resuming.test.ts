import { assert, describe, it } from "@effect/vitest"
import * as Envelope from "@parley/mcp/wire/Envelope"
import { Deferred, Duration, Effect, Fiber, Queue, Random, Schedule, type Schema } from "effect"
import { TestClock } from "effect/testing"
import type * as http from "node:http"
import { legacy, result, type Script, serve, signal, stream, text } from "./support/scripted.ts"
import * as transports from "./support/transports.ts"

/** Starts the stream of a call with an event that has an id and no data, and ends it. */
const priming = (response: http.ServerResponse, event: Parameters<ReturnType<typeof stream>>[0] = {}) => {
  stream(response)({ id: "p", data: "", ...event })
  response.end()
}

/** A server that answers a call only to who resumes it. */
const resumable = (
  resume: (id: number | undefined, answering: Parameters<Script>[0], params: Schema.JsonObject) => void,
  cut: Script
) => {
  let id: number | undefined
  let params: Schema.JsonObject = {}
  return legacy({
    work: (answering) => {
      ;({ id, params = {} } = answering.seen.message)
      cut(answering)
    },
    GET: (answering) =>
      answering.seen.headers["last-event-id"] === undefined
        ? text(answering.response, 405)
        : resume(id, answering, params)
  })
}

const answerBy = (id: number | undefined, { response }: Parameters<Script>[0]) => {
  stream(response)({ id: "q", data: result(id, "done") })
  response.end()
}

/** A schedule that tells how long it said to wait. */
const recording = () => {
  const waited: Array<number> = []
  const reconnect = Schedule.exponential("1 second").pipe(Schedule.modifyDelay(({ duration }) =>
    Effect.sync(() => {
      waited.push(Duration.toMillis(duration))
      return duration
    })
  ))
  return { reconnect, waited }
}

/** The same random number for all, from 0 to 1. */
const chancing = (chance: number) =>
  Effect.provideService(Random.Random, { nextDoubleUnsafe: () => chance, nextIntUnsafe: () => 0 })

/** Lets time pass until a call has ended. */
const passing = Effect.fnUntraced(function*(transport: transports.Opened, call: Fiber.Fiber<unknown, unknown>) {
  while (call.pollUnsafe() === undefined) {
    yield* TestClock.adjust(500)
    yield* transport.request("ping")
  }
})

describe("the stream of a call that breaks off before its response", () => {
  const cuts: ReadonlyArray<readonly [string, Script]> = [
    ["ends", ({ response }) => priming(response)],
    ["breaks", ({ response }) => {
      stream(response)({ id: "p", data: "" })
      setImmediate(() => response.destroy())
    }]
  ]
  for (const [how, cut] of cuts) {
    it.live(`is taken up behind the last event where it ${how}`, () =>
      Effect.gen(function*() {
        const server = yield* serve(resumable(answerBy, cut))
        const transport = yield* transports.shaken(server.url, { reconnect: transports.atOnce })
        assert.strictEqual(yield* transport.request("work"), "done")
        const { headers } = yield* server.until(({ headers }) => headers["last-event-id"] !== undefined)
        assert.strictEqual(headers["last-event-id"], "p")
        assert.strictEqual(headers["mcp-session-id"], "s1")
        assert.strictEqual(headers.accept, "text/event-stream")
      }))
  }

  it.live("names an event by the UTF-8 of its id", () =>
    Effect.gen(function*() {
      const server = yield* serve(resumable(answerBy, ({ response }) => priming(response, { id: "naïve 日本" })))
      const transport = yield* transports.shaken(server.url, { reconnect: transports.atOnce })
      assert.strictEqual(yield* transport.request("work"), "done")
      const { headers } = yield* server.until(({ headers }) => headers["last-event-id"] !== undefined)
      assert.strictEqual(Buffer.from(String(headers["last-event-id"]), "latin1").toString(), "naïve 日本")
    }))

  it.live("fails the call with Disconnected where the id of its last event cannot be sent", () =>
    Effect.gen(function*() {
      const server = yield* serve(resumable(answerBy, ({ response }) => priming(response, { id: "a\u0001b" })))
      const transport = yield* transports.shaken(server.url, { reconnect: transports.atOnce })
      assert.match(yield* transports.outcome(transport.request("work")), /^Disconnected/)
    }))

  it.effect.each([
    { how: "as long as the server says", retry: 700, chance: 0, wait: 700 },
    { how: "up to a fifth longer, as chance has it", retry: 700, chance: 0.5, wait: 770 },
    { how: "a moment where the server says that it need not", retry: 0, chance: 0, wait: 100 }
  ])("waits $how", ({ chance, retry, wait }) =>
    Effect.gen(function*() {
      const server = yield* serve(resumable(answerBy, ({ response }) => priming(response, { retry })))
      const waits = yield* Deferred.make<void>()
      const reconnect = Schedule.exponential("1 second").pipe(
        Schedule.modifyDelay(({ duration }) => Effect.as(Deferred.succeed(waits, undefined), duration))
      )
      const transport = yield* transports.shaken(server.url, { reconnect })
      const resumed = () => server.seen.filter(({ headers }) => headers["last-event-id"] !== undefined).length
      const call = yield* Effect.forkChild(transport.request("work"))
      yield* Deferred.await(waits)
      yield* TestClock.adjust(wait - 1)
      // What was sent by now would have been seen before the answer to this.
      yield* transport.request("ping")
      assert.strictEqual(resumed(), 0)
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* Fiber.join(call), "done")
      assert.strictEqual(resumed(), 1)
    }).pipe(chancing(chance)))

  it.effect.each([
    { what: "events of another kind", body: "event: ping\ndata: 1\n\n" },
    { what: "times to wait", body: "retry: 1\n\n" },
    { what: "comments", body: ": alive\n\n" },
    { what: "events without data and id", body: "data:\n\n" }
  ])("waits longer each time while nothing comes but $what", ({ body }) =>
    Effect.gen(function*() {
      let asked = 0
      const server = yield* serve(resumable((id, answering) => {
        if (++asked > 5) return answerBy(id, answering)
        answering.response.writeHead(200, { "content-type": "text/event-stream" })
        answering.response.end(body)
      }, ({ response }) => priming(response, { id: "p1" })))
      const { reconnect, waited } = recording()
      const transport = yield* transports.shaken(server.url, { reconnect, timeout: "1 hour" })
      const call = yield* Effect.forkChild(transport.request("work"))
      yield* passing(transport, call)
      assert.strictEqual(yield* Fiber.join(call), "done")
      assert.deepStrictEqual(waited, [1_000, 2_000, 4_000, 8_000, 16_000, 32_000])
    }).pipe(chancing(0)))

  it.effect("waits longer each time while the server has faults, and a call that waits is not lost", () =>
    Effect.gen(function*() {
      let asked = 0
      const server = yield* serve(resumable((id, answering) => {
        asked++
        if (asked === 1) return answering.response.destroy()
        if (asked === 2) return text(answering.response, 503)
        answerBy(id, answering)
      }, ({ response }) => priming(response)))
      const { reconnect, waited } = recording()
      const transport = yield* transports.shaken(server.url, { reconnect, timeout: "1 hour" })
      const call = yield* Effect.forkChild(transport.request("work"))
      yield* passing(transport, call)
      assert.strictEqual(yield* Fiber.join(call), "done")
      assert.deepStrictEqual(waited, [1_000, 2_000, 4_000])
    }))

  it.effect("begins its waits anew with each stream that gave something", () =>
    Effect.gen(function*() {
      let asked = 0
      const server = yield* serve(resumable((id, answering) => {
        asked++
        if (asked === 5) return answerBy(id, answering)
        if (asked % 2 === 1) return text(answering.response, 503)
        priming(answering.response)
      }, ({ response }) => priming(response)))
      const { reconnect, waited } = recording()
      const transport = yield* transports.shaken(server.url, { reconnect, timeout: "1 hour" })
      const call = yield* Effect.forkChild(transport.request("work"))
      yield* passing(transport, call)
      assert.strictEqual(yield* Fiber.join(call), "done")
      assert.deepStrictEqual(waited, [1_000, 2_000, 1_000, 2_000, 1_000])
    }))

  it.live("is taken up as often as it ends", () =>
    Effect.gen(function*() {
      let asked = 0
      const server = yield* serve(resumable((id, answering) => {
        asked++
        if (asked === 5) return answerBy(id, answering)
        stream(answering.response)({ id: `p${asked}`, data: "" })
        answering.response.end()
      }, ({ response }) => priming(response, { retry: 0 })))
      const transport = yield* transports.shaken(server.url)
      assert.strictEqual(yield* transport.request("work"), "done")
      const ids = server.seen.map(({ headers }) => headers["last-event-id"]).filter((id) => id !== undefined)
      assert.deepStrictEqual(ids, ["p", "p1", "p2", "p3", "p4"])
    }))

  it.live("hands on what the server says and asks meanwhile", () =>
    Effect.gen(function*() {
      const answered = signal<void>()
      const progress: Array<unknown> = []
      const server = yield* serve((answering) => {
        if (answering.seen.message["result"] !== undefined) answered.set()
        script(answering)
      })
      const script = resumable((id, { response }, params) => {
        const send = stream(response)
        const progress = { progressToken: Envelope.metaOf(params)?.["progressToken"], progress: 2 }
        send({ id: "q", data: { jsonrpc: "2.0", method: "notifications/progress", params: progress } })
        send({ id: "r", data: { jsonrpc: "2.0", id: 9, method: "roots/list" } })
        Effect.runFork(Effect.map(answered.wait, () => send({ id: "s", data: result(id, "done") })))
      }, ({ response }) => priming(response, { retry: 0 }))
      const transport = yield* transports.shaken(server.url, {
        handlers: { "roots/list": () => Effect.succeed({ roots: [] }) }
      })
      const call = transport.request("work", {}, { onProgress: (params) => progress.push(params) })
      assert.strictEqual(yield* call, "done")
      assert.strictEqual(progress.length, 1)
    }))

  it.live("fails the call with Disconnected where no event had an id", () =>
    Effect.gen(function*() {
      const server = yield* serve(legacy({
        work: ({ response }) => {
          stream(response)({ data: { jsonrpc: "2.0", method: "notifications/x" } })
          response.end()
        }
      }))
      const transport = yield* transports.shaken(server.url, { reconnect: transports.atOnce })
      assert.match(
        yield* transports.outcome(transport.request("work")),
        /^Disconnected: .+ \(EndOfInput\), \S+ \(id \d+\)( to \S+)? sent/
      )
    }))

  it.live("fails the call with Disconnected where the server does not resume", () =>
    Effect.gen(function*() {
      for (const status of [400, 405]) {
        const server = yield* serve(
          resumable((_, { response }) => text(response, status), ({ response }) => priming(response))
        )
        const transport = yield* transports.shaken(server.url, { reconnect: transports.atOnce })
        assert.match(
          yield* transports.outcome(transport.request("work")),
          /^Disconnected: .+ \(EndOfInput\), \S+ \(id \d+\)( to \S+)? sent/
        )
      }
    }))

  it.live("fails the call with Disconnected where the session is over: it may have run", () =>
    Effect.gen(function*() {
      const server = yield* serve(
        resumable((_, { response }) => text(response, 404), ({ response }) => priming(response))
      )
      const transport = yield* transports.shaken(server.url, { reconnect: transports.atOnce })
      assert.match(
        yield* transports.outcome(transport.request("work")),
        /^Disconnected: .+ \(EndOfInput\), \S+ \(id \d+\)( to \S+)? sent/
      )
      yield* Queue.take(transport.expired)
    }))

  it.live("fails the call with Disconnected where another session has begun, without a word to that", () =>
    Effect.gen(function*() {
      const server = yield* serve(
        resumable((_, { response }) => text(response, 404), ({ response }) => priming(response, { retry: 20 }))
      )
      const transport = yield* transports.shaken(server.url)
      const call = yield* Effect.forkChild(transports.outcome(transport.request("work")))
      yield* server.until(({ message }) => message.method === "work")
      yield* transport.settle(undefined)
      assert.match(yield* Fiber.join(call), /^Disconnected: .+ \(EndOfInput\), \S+ \(id \d+\)( to \S+)? sent/)
      assert.isUndefined(server.seen.find(({ headers }) => headers["last-event-id"] !== undefined))
    }))

  it.live("fails the call when its time is over, and is asked for no more", () =>
    Effect.gen(function*() {
      const server = yield* serve(
        resumable((_, { response }) => text(response, 503), ({ response }) => priming(response, { retry: 1 }))
      )
      const transport = yield* transports.shaken(server.url, { reconnect: transports.atOnce })
      assert.match(yield* transports.outcome(transport.request("work", {}, { timeout: 50 })), /^RequestTimeout/)
      yield* server.until(({ message }) => message.method === "notifications/cancelled")
      const asked = server.seen.length
      for (let call = 1; call <= 20; call++) yield* transport.request("ping")
      assert.isAtMost(server.seen.length, asked + 21)
    }))

  it.live("fails the call when the schedule has no more attempts", () =>
    Effect.gen(function*() {
      const server = yield* serve(
        resumable((_, { response }) => text(response, 503), ({ response }) => priming(response))
      )
      const transport = yield* transports.shaken(server.url, { reconnect: Schedule.recurs(3) })
      assert.match(yield* transports.outcome(transport.request("work")), /^Disconnected: .+ \(EndOfInput\)/)
      assert.strictEqual(server.seen.filter(({ headers }) => headers["last-event-id"] !== undefined).length, 3)
    }))
})

describe("the stream of a call that ends behind its response", () => {
  it.live("is not taken up", () =>
    Effect.gen(function*() {
      const server = yield* serve(legacy({
        work: ({ response, seen }) => {
          const send = stream(response)
          send({ id: "p", data: "", retry: 0 })
          send({ id: "q", data: result(seen.message.id, "done") })
          response.end()
        }
      }))
      const transport = yield* transports.shaken(server.url, { reconnect: transports.atOnce })
      for (let call = 1; call <= 20; call++) assert.strictEqual(yield* transport.request("work"), "done")
      assert.isUndefined(server.seen.find(({ headers }) => headers["last-event-id"] !== undefined))
    }))
})
