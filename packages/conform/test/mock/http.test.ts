/** A mock over HTTP: its sessions, and what becomes of those that nobody uses. */
import { assert, describe, it } from "@effect/vitest"
import { Mock, Recording } from "@parley/conform"
import { Recorder } from "@parley/traffic"
import { Effect, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Sessions } from "../../src/internal/mock/http/Sessions.ts"

const jsonRpc = (message: object) => JSON.stringify({ jsonrpc: "2.0", ...message })

const initialize = jsonRpc({ id: 1, method: "initialize", params: { protocolVersion: "2025-11-25" } })
const ping = jsonRpc({ id: 2, method: "ping" })

/** A client that initializes and asks once, on another wire, without a pause. */
const recording = Recording.fromText(
  [
    { _tag: "Sent", text: initialize },
    { _tag: "Received", text: jsonRpc({ id: 1, result: { protocolVersion: "2025-11-25" } }) },
    { _tag: "Sent", text: ping },
    { _tag: "Received", text: jsonRpc({ id: 2, result: {} }) }
  ].map(({ _tag, text }) =>
    Recorder.toLine({ _tag: _tag === "Sent" ? "Sent" : "Received", time: 0, connection: 1, text })
  ).join("\n")
)

/** A host of a mock: it has the status of each answer, and the session that it names. */
const host = Effect.map(
  Mock.make(recording),
  ({ endpoint }) => (method: string, body = "", session?: string) => {
    const named: Readonly<Record<string, string>> = session === undefined ? {} : { "mcp-session-id": session }
    const head = { method, url: "/", header: (name: string) => named[name], address: undefined }
    const responder = { start: () => Effect.void, write: () => Effect.void, toStream: () => undefined }
    return Effect.map(endpoint.answer(head, body, responder), ({ headers, status }) => ({
      status,
      session: Object.entries(headers).flatMap(([name, value]) => name === "mcp-session-id" ? [String(value)] : [])[0]
    }))
  }
)

describe("a session of a mock over HTTP", () => {
  it.effect("ends when nobody uses it for half an hour, and is not found then", () =>
    Effect.gen(function*() {
      const ask = yield* host
      const { session } = yield* ask("POST", initialize)
      assert.isDefined(session)
      for (const _ of [1, 2, 3]) {
        yield* TestClock.adjust("29 minutes")
        assert.strictEqual((yield* ask("POST", ping, session)).status, 200)
      }
      yield* TestClock.adjust("31 minutes")
      assert.strictEqual((yield* ask("POST", ping, session)).status, 404)
    }))

  it.effect("is used while a stream of it is open, and its end ends the stream", () =>
    Effect.gen(function*() {
      const ask = yield* host
      const { session } = yield* ask("POST", initialize)
      const stream = yield* Effect.forkChild(ask("GET", "", session), { startImmediately: true })
      yield* TestClock.adjust("31 minutes")
      assert.strictEqual((yield* ask("POST", ping, session)).status, 200)
      assert.strictEqual((yield* ask("DELETE", "", session)).status, 200)
      assert.strictEqual((yield* Fiber.join(stream)).status, 200)
      assert.strictEqual((yield* ask("POST", ping, session)).status, 404)
    }))

  it.effect("ends when there are a thousand that were used since", () =>
    Effect.gen(function*() {
      const ask = yield* host
      const first = yield* ask("POST", initialize)
      const all = yield* Effect.forEach(Array.from({ length: 999 }), () => ask("POST", initialize))
      assert.strictEqual((yield* ask("POST", ping, first.session)).status, 200)
      yield* ask("POST", initialize)
      assert.strictEqual((yield* ask("POST", ping, first.session)).status, 200)
      assert.strictEqual((yield* ask("POST", ping, all[0]?.session)).status, 404)
      assert.strictEqual((yield* ask("POST", ping, all[1]?.session)).status, 200)
    }))

  const step = Schema.Struct({
    does: Schema.Literals(["add", "use", "end", "wait"]),
    name: Schema.Literals(["a", "b", "c", "d", "e"])
  })

  it.effect.prop(
    "is one of so many that were used since, and ends once",
    { steps: Schema.Array(step) },
    ({ steps }) =>
      Effect.sync(() => {
        const [most, idle] = [3, 10]
        const ended: Array<number> = []
        const sessions = new Sessions<number>({
          most,
          idle,
          isBusy: (session) => session % 5 === 0,
          end: (session) => void ended.push(session)
        })
        /** Those that are open, the last one last. */
        let known: ReadonlyArray<{ readonly name: string; readonly session: number; readonly used: number }> = []
        let now = 0
        for (const [at, { does, name }] of steps.entries()) {
          now += does === "wait" ? 7 : 1
          known = known.flatMap((one) => {
            if (now - one.used < idle) return [one]
            return one.session % 5 === 0 ? [{ ...one, used: now }] : []
          }).toSorted((one, other) => one.used - other.used)
          const found = known.find((one) => one.name === name)
          const others = known.filter((one) => one !== found)
          if (does === "add" && found === undefined) {
            sessions.add(name, at, now)
            known = [...known, { name, session: at, used: now }].slice(-most)
          } else if (does === "end") {
            sessions.use(name, now)
            sessions.end(name)
            known = others
          } else {
            assert.strictEqual(sessions.use(name, now), found?.session)
            if (found !== undefined) known = [...others, { ...found, used: now }]
          }
        }
        assert.strictEqual(new Set(ended).size, ended.length)
        for (const { session } of known) assert.notInclude(ended, session)
      })
  )
})
