import { assert, describe, it } from "@effect/vitest"
import { Recording, Replay, type Target } from "@parley/conform"
import type { HttpFetcher } from "@parley/http/shared/client"
import { Caller, Peer, Router } from "@parley/peer"
import { Recorder } from "@parley/traffic"
import { MemoryTransport, Transport } from "@parley/transport"
import { Deferred, Effect, type Schema, type Scope } from "effect"

/** A server as the owner of a peer: its methods, and the messages that it sends when it has been called. */
type Server = (
  add: (
    method: string,
    run: (params: Schema.Json | undefined, peer: Peer.Peer) => Effect.Effect<Schema.Json, unknown>
  ) => Effect.Effect<void, never, Scope.Scope>
) => Effect.Effect<void, never, Scope.Scope>

const connecting = (server: Server): Target.Duplex["connect"] =>
  Effect.gen(function*() {
    const [near, far] = yield* MemoryTransport.makePair()
    const router = yield* Router.make()
    const peer = yield* Deferred.make<Peer.Peer>()
    yield* server((method, run) =>
      Effect.orDie(
        router.add(
          method,
          (call) => Effect.orDie(Effect.flatMap(Deferred.await(peer), (peer) => run(call.params, peer)))
        )
      )
    )
    yield* Deferred.succeed(peer, yield* Peer.make(far, { router }))
    return near
  })

const target = (server: Server): Target.Target => ({
  _tag: "Duplex",
  name: "server",
  connect: connecting(server),
  isProcess: false
})

const start = 1_769_862_896_789

const recordingOf = (...steps: ReadonlyArray<readonly ["sent" | "received", object]>) =>
  Recording.fromText(
    steps.map(([side, message], at) =>
      Recorder.toLine({
        _tag: side === "sent" ? "Sent" : "Received",
        time: start + at * 10,
        connection: 1,
        text: JSON.stringify({ jsonrpc: "2.0", ...message })
      })
    ).join("\n")
  )

const fast = { patience: 30, timeout: 2_000 }

/** The differences, in short. */
const found = (report: Replay.ReplayReport) =>
  report.results.filter(({ kind }) => kind !== "same").map(({ differences, kind, method, what }) =>
    [kind, what, method, ...differences.map(({ pointer }) => pointer)].join(" ")
  ).toSorted()

describe("Replay", () => {
  const pages = recordingOf(
    ["sent", { id: 1, method: "list" }],
    ["received", { id: 1, result: { items: ["a"], nextCursor: "c-1", at: "2026-01-31T12:34:57Z" } }],
    ["sent", { id: 2, method: "list", params: { cursor: "c-1" } }],
    ["received", { id: 2, result: { items: ["b"], total: 2 } }]
  )
  const paging = (cursor: string, total: number): Server => (add) =>
    add("list", (params) =>
      Effect.succeed(
        params === undefined
          ? { items: ["a"], nextCursor: cursor, at: new Date().toISOString() }
          : JSON.stringify(params) === JSON.stringify({ cursor })
          ? { items: ["b"], total }
          : { items: [], total: 0 }
      ))

  it.live("sends back the values of now, and lets times, tokens and ids differ", () =>
    Effect.gen(function*() {
      const report = yield* Replay.run(target(paging("another-cursor", 2)), pages, fast)
      assert.deepStrictEqual(found(report), [])
      assert.isFalse(Replay.isFailed(report))
    }))

  it.live("tells what has changed, with the place, and leaves out what somebody has named", () =>
    Effect.gen(function*() {
      const server = target(paging("c-9", 3))
      assert.deepStrictEqual(found(yield* Replay.run(server, pages, fast)), ["changed response list /result/total"])
      for (const ignore of ["/result/total", "/result/*", "list"]) {
        assert.deepStrictEqual(found(yield* Replay.run(server, pages, { ...fast, ignore: [ignore] })), [], ignore)
      }
    }))

  it.live("answers what the server asks as the client did, and tells what is missing and additional", () => {
    const recording = recordingOf(
      ["sent", { id: 1, method: "book" }],
      ["received", { id: 7, method: "ask", params: { what: "name" } }],
      ["sent", { id: 7, result: "Ada" }],
      ["received", { method: "booked", params: ["Ada"] }],
      ["received", { id: 1, result: "for Ada" }],
      ["sent", { method: "bye" }]
    )
    const booking = (isNew: boolean): Server => (add) =>
      add("book", (_, peer) =>
        Effect.gen(function*() {
          const name = yield* peer.request("ask", { what: "name" })
          if (isNew) {
            yield* peer.notify("asked", [])
            const refused = yield* Effect.flip(peer.request("confirm", []))
            assert.strictEqual("code" in refused ? refused.code : 0, -32601)
          } else yield* peer.notify("booked", [name])
          return `for ${String(name)}`
        }))
    return Effect.gen(function*() {
      assert.deepStrictEqual(found(yield* Replay.run(target(booking(false)), recording, fast)), [])
      assert.deepStrictEqual(found(yield* Replay.run(target(booking(true)), recording, fast)), [
        "additional notification asked",
        "additional request confirm",
        "missing notification booked"
      ])
    })
  })

  it.live("a response to no request has a row with its id", () =>
    Effect.gen(function*() {
      const error = { code: -32700, message: "Parse error" }
      const connect = Effect.gen(function*() {
        const [near, far] = yield* MemoryTransport.makePair()
        yield* far.send([JSON.stringify({ jsonrpc: "2.0", id: 7, result: 1 })])
        return near
      })
      const recording = recordingOf(["sent", { id: 1 }], ["received", { id: null, error }])
      const report = yield* Replay.run({ _tag: "Duplex", name: "odd", connect, isProcess: false }, recording, {
        ...fast,
        timeout: 30
      })
      const table = Replay.render(report, "table")
      assert.include(table, "missing     replay/missing  a response to no known request, with the id null")
      assert.include(table, "additional  replay/additional  a response to no known request, with the id 7")
    }))

  it.live("a response that the recording lacks has the method of its request", () =>
    Effect.gen(function*() {
      const server = target((add) => add("list", () => Effect.succeed([])))
      const report = yield* Replay.run(server, recordingOf(["sent", { id: 1, method: "list" }]), fast)
      assert.deepStrictEqual(found(report), ["additional response list"])
    }))

  it.live("waits for nothing of a server over HTTP that cannot be reached, or refuses", () =>
    Effect.gen(function*() {
      const reason = { _tag: "Open", cause: new Error("refused") } as const
      const gone: HttpFetcher.HttpFetcher = {
        fetch: () => Effect.fail(new Caller.Disconnected({ reason, sent: false }))
      }
      const refusing: HttpFetcher.HttpFetcher = {
        fetch: () => Effect.succeed({ status: 404, header: () => undefined, read: () => Effect.void })
      }
      for (const fetcher of [gone, refusing]) {
        const report = yield* Replay.run(
          { _tag: "Http", name: "gone", url: "http://a/", headers: {}, fetcher },
          pages,
          {
            timeout: "1 hour",
            patience: 30
          }
        )
        assert.deepStrictEqual(found(report), ["missing response list", "missing response list"])
      }
    }))

  it.live("ends where a server sends without an end what was not recorded", () =>
    Effect.gen(function*() {
      const connect = Effect.gen(function*() {
        const [near, far] = yield* MemoryTransport.makePair()
        const text = JSON.stringify({ jsonrpc: "2.0", method: "spam" })
        yield* Effect.forkScoped(Effect.ignore(Effect.forever(far.send([text]))))
        return near
      })
      const endless: Target.Target = { _tag: "Duplex", name: "spam", connect, isProcess: false }
      const report = yield* Replay.run(endless, pages, { timeout: "1 hour", patience: "1 hour" })
      assert.containSubset(report.ended, [{ why: "the server sends too much that was not recorded" }])
      assert.isBelow(report.results.length, 1_100)
    }))

  it.live("a server that ends is told, and a report names it in every format", () =>
    Effect.gen(function*() {
      const connect = Effect.gen(function*() {
        const [near, far] = yield* MemoryTransport.makePair()
        yield* far.close
        return near
      })
      const report = yield* Replay.run({ _tag: "Duplex", name: "gone", connect, isProcess: false }, pages, fast)
      assert.strictEqual(report.ended.length, 1)
      assert.deepStrictEqual(found(report), ["missing response list", "missing response list"])
      for (const format of ["table", "json", "junit", "sarif", "markdown", "html"] as const) {
        assert.include(Replay.render(report, format), "missing", format)
      }
    }))
})

describe("regression: an endpoint that is not there", () => {
  it.live("is a failure, also where nothing was to come", () =>
    Effect.gen(function*() {
      const recording = recordingOf(["sent", { method: "log", params: [] }])
      const error = new Transport.TransportError({ reason: { _tag: "Closed" } })
      const report = yield* Replay.run(
        { _tag: "Duplex", name: "gone", connect: Effect.fail(error), isProcess: false },
        recording,
        fast
      )
      assert.isTrue(Replay.isFailed(report))
      assert.strictEqual(report.ended.length, 1)
    }))
})
