/** What two sides hear that frame texts in different ways. */
import { assert, describe, it } from "@effect/vitest"
import * as Peer from "@parley/peer/Peer"
import * as Reconnecting from "@parley/peer/Reconnecting"
import * as Router from "@parley/peer/Router"
import * as Server from "@parley/peer/Server"
import * as Dialect from "@parley/protocol/Dialect"
import * as Framing from "@parley/protocol/Framing"
import * as FramedTransport from "@parley/transport/FramedTransport"
import * as Listener from "@parley/transport/Listener"
import { type Transport, transportError } from "@parley/transport/Transport"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"

/** Two transports over the bytes of each other, each with a framing of its own. */
const pair = (
  left?: Framing.Framing,
  right?: Framing.Framing
): Effect.Effect<readonly [Transport, Transport], never, Scope.Scope> =>
  Effect.gen(function*() {
    const toLeft = yield* Queue.make<Uint8Array, Cause.Done>()
    const toRight = yield* Queue.make<Uint8Array, Cause.Done>()
    const ended = transportError({ _tag: "EndOfInput" })
    const bytes = (
      from: Queue.Queue<Uint8Array, Cause.Done>,
      to: Queue.Queue<Uint8Array, Cause.Done>
    ): FramedTransport.Bytes => ({
      pull: Effect.mapBoth(Queue.take(from), { onFailure: () => ended, onSuccess: (chunk) => [chunk] as const }),
      write: (chunk) => Effect.asVoid(Queue.offer(to, chunk)),
      close: Effect.asVoid(Effect.andThen(Queue.end(to), Queue.end(from)))
    })
    return yield* Effect.all([
      FramedTransport.fromBytes(bytes(toLeft, toRight), { framing: left }),
      FramedTransport.fromBytes(bytes(toRight, toLeft), { framing: right })
    ])
  })

/** Keeps the lines of the log. */
const logged = () => {
  const lines: Array<string> = []
  return { lines, layer: Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))]) }
}

const headerFirst = (framing: string) =>
  `the stream begins with a Content-Length header, and the framing of this side is \`${framing}\``

const jsonFirst =
  "the stream begins with JSON and no Content-Length header, and the framing of this side is `contentLength`"

describe("two sides that frame texts in different ways", () => {
  for (
    const [ours, theirs, weHear, theyHear] of [
      [Framing.line, Framing.contentLength, headerFirst("line"), jsonFirst],
      [Framing.contentLength, Framing.line, jsonFirst, headerFirst("line")],
      [Framing.concatenated, Framing.contentLength, headerFirst("concatenated"), jsonFirst],
      [Framing.contentLength, Framing.concatenated, jsonFirst, headerFirst("concatenated")]
    ] as const
  ) {
    it.effect(`hear so at once: ${ours.name} and ${theirs.name}`, () => {
      const { layer, lines } = logged()
      return Effect.gen(function*() {
        const [left, right] = yield* pair(ours, theirs)
        const server = yield* Peer.make(right)
        const client = yield* Peer.make(left)
        const error = yield* Effect.flip(client.request("initialize"))
        assert(error._tag === "Disconnected")
        assert.deepInclude(error.reason, { _tag: "LostPlace", detail: weHear, offset: 0 })
        assert.include(error.message, weHear)
        assert.deepInclude(yield* server.closed, { _tag: "LostPlace", detail: theyHear, offset: 0 })
        const told = (what: string) => lines.filter((line) => line.startsWith(`the connection ends: ${what}`)).length
        // Our call hears it, and so only who debugs finds it in our log.
        assert.deepStrictEqual([told(weHear), told(theyHear)], [0, 1])
      }).pipe(Effect.provide(layer))
    })
  }

  it.effect("a timeout at a side that has said nothing names the framing", () =>
    Effect.gen(function*() {
      const [left] = yield* pair(Framing.line, Framing.contentLength)
      const client = yield* Peer.make(left)
      const call = yield* Effect.forkChild(Effect.flip(client.request("initialize")))
      yield* TestClock.adjust(30_000)
      const error = yield* Fiber.join(call)
      assert(error._tag === "RequestTimeout")
      assert.strictEqual(error.framing, "line")
      assert.strictEqual(
        error.message,
        "no response to initialize (id 1) within 30000 ms; no text has come from the other side, which is slow or expects another framing: the transport frames texts by "
          + "`line`, and a peer that expects Content-Length headers stays silent"
      )
    }))

  it.effect("a timeout at a side that has said something does not", () =>
    Effect.gen(function*() {
      const [left, right] = yield* pair(Framing.line, Framing.line)
      const client = yield* Peer.make(left)
      yield* right.send(["{\"jsonrpc\":\"2.0\",\"method\":\"hello\"}"])
      const call = yield* Effect.forkChild(Effect.flip(client.request("initialize")))
      yield* TestClock.adjust(30_000)
      const error = yield* Fiber.join(call)
      assert.strictEqual(error.message, "no response to initialize (id 1) within 30000 ms")
    }))

  const conflict =
    "the dialect lsp frames texts by `contentLength`, and the transport by `line`: leave out its `framing` "
    + "and use it for nothing before, or give one to `Dialect.make`"

  it.effect("a peer whose dialect frames texts otherwise is not made: it dies and says what to change", () =>
    Effect.gen(function*() {
      const [left, right] = yield* pair(Framing.line, Framing.contentLength)
      yield* Peer.make(right, { dialect: Dialect.lsp })
      const exit = yield* Effect.exit(Peer.make(left, { dialect: Dialect.lsp }))
      assert.deepStrictEqual(exit, Exit.die(new TypeError(conflict)))
      // The transport is as it was.
      yield* Peer.make(left, { dialect: Dialect.make({ ...Dialect.lsp, framing: "line" }) })
    }))

  it.effect("a reconnecting caller whose dialect frames texts otherwise ends, and its calls fail at once", () =>
    Effect.gen(function*() {
      const { layer, lines } = logged()
      const [left] = yield* pair(Framing.line, Framing.contentLength)
      const caller = yield* Reconnecting.make({ open: Effect.succeed(left), dialect: Dialect.lsp }).pipe(
        Effect.provide(layer)
      )
      const error = yield* Effect.flip(caller.request("initialize"))
      assert.strictEqual(error.message, `could not be opened: ${conflict} (Open), initialize not sent`)
      assert.strictEqual((yield* caller.state)._tag, "Closed")
      const states = yield* Stream.runCollect(caller.changes)
      assert.deepStrictEqual(states.map(({ _tag }) => _tag), ["Closed"])
      assert.deepStrictEqual(lines, ["the `open` or the `onConnect` of a reconnecting caller died"])
    }))

  it.effect("a server whose dialect frames texts otherwise closes each connection, and says so", () =>
    Effect.gen(function*() {
      const { layer, lines } = logged()
      const [left, right] = yield* pair(Framing.line, Framing.line)
      const client = yield* Peer.make(left)
      const listener = Listener.single("memory:", Effect.succeed(right))
      const router = yield* Router.make()
      yield* Effect.exit(Server.runWith({ dialect: Dialect.lsp })).pipe(
        Effect.provideService(Listener.Listener, listener),
        Effect.provideService(Router.Router, router),
        Effect.provide(layer)
      )
      yield* right.close
      assert.strictEqual((yield* client.closed)._tag, "EndOfInput")
      assert.deepStrictEqual(lines, ["The handler of a connection to memory: died"])
    }))
})

describe("a transport over bytes that is not told its framing", () => {
  const dialects = [Dialect.jsonRpc, Dialect.lsp, Dialect.make({ name: "mine", framing: "concatenated" })]

  for (const dialect of dialects) {
    it.effect(`has that of the dialect of its peer, also behind wrappings: ${dialect.name}`, () =>
      Effect.gen(function*() {
        const [left, right] = yield* pair()
        const router = yield* Router.make()
        yield* router.add("twice", ({ params }) => Effect.succeed([params ?? null, params ?? null]))
        yield* Peer.make({ ...right, receive: Effect.suspend(() => right.receive) }, { dialect, router })
        const { close, receive, send } = left
        const client = yield* Peer.make({ close, receive, send }, { dialect })
        assert.deepStrictEqual(yield* client.request("twice", { n: "é" }), [{ n: "é" }, { n: "é" }])
        assert.deepStrictEqual([left.framing?.name, right.framing?.name], [dialect.framing, dialect.framing])
      }))
  }

  for (const framing of ["none", "other"] as const) {
    it.effect(`has none that no stream of bytes has: ${framing}`, () =>
      Effect.gen(function*() {
        const [left] = yield* pair()
        // What a program without types may pass.
        const dialect = { ...Dialect.jsonRpc, name: "mine", framing: framing as "none" }
        const exit = yield* Effect.exit(Peer.make(left, { dialect }))
        assert.include(String(exit), `the dialect mine frames texts by \`${framing}\`, and the transport by \`line\``)
        assert.isTrue(Exit.isSuccess(yield* Effect.exit(Peer.make(left, { dialect: Dialect.lsp }))))
      }))
  }
})
