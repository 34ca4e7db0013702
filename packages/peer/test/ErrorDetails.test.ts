/** What errors and lines of the log say last: the param, the size, the cause, the protocol. */
import { assert, describe, it } from "@effect/vitest"
import * as Caller from "@parley/peer/Caller"
import * as Peer from "@parley/peer/Peer"
import type * as Router from "@parley/peer/Router"
import * as Dialect from "@parley/protocol/Dialect"
import { ErrorObject } from "@parley/protocol/shared"
import * as Transport from "@parley/transport/Transport"
import { Effect, Logger, type Schema } from "effect"
import { connect, failure, notification, request, settle } from "./wire.ts"

describe("the last word of an error", () => {
  it("is the first param that does not fit, by its path", () => {
    const { data } = ErrorObject.invalidParams([
      { path: ["amount", 0], message: "Expected number, actual \"x\"" },
      { path: [], message: "no" }
    ])
    const message = (data: Schema.Json | undefined) =>
      new Caller.RemoteError({ method: "m", code: -32602, text: "Invalid params", ...(data && { data }) }).message
    assert.strictEqual(
      message(data),
      "m was answered with error -32602: Invalid params: amount.0: Expected number, actual \"x\" (and 1 more)"
    )
    for (const other of [undefined, "x", [], [1], [{ path: "x", message: "y" }], { path: [], message: "y" }]) {
      assert.strictEqual(message(other), "m was answered with error -32602: Invalid params")
    }
  })

  /** A peer whose warnings are kept, and what its other side received. */
  const logging = (handlers: Router.Handlers, texts: ReadonlyArray<string>, options: Peer.PeerOptions = {}) =>
    Effect.gen(function*() {
      const lines: Array<string> = []
      const logger = Logger.make(({ logLevel, message }) => void lines.push(`${logLevel} ${String(message)}`))
      const { wire } = yield* connect(handlers, options).pipe(Effect.provide(Logger.layer([logger])))
      yield* wire.send(...texts)
      yield* settle
      return { lines, received: wire.received }
    })

  it.effect("is what a handler failed with that declares nothing, in one line", () =>
    Effect.gen(function*() {
      const foreign = new Error("An error occurred", { cause: new Error("no such account") })
      // JavaScript has no types.
      const fail = () => Effect.fail(foreign as never)
      const { lines, received } = yield* logging({ fail, plain: () => Effect.fail("no" as never) }, [
        request(1, "fail"),
        request(2, "plain"),
        notification("fail")
      ])
      assert.deepStrictEqual(lines, [
        "Warn the handler of fail (id 1) failed with an undeclared error: no such account",
        "Warn the handler of plain (id 2) failed with an undeclared error: no",
        "Warn the handler of fail failed with an undeclared error: no such account"
      ])
      assert.deepStrictEqual(received, [1, 2].map((id) => failure(id, -32603, "Internal error")))
    }))

  it.effect("is what a call is about, where its dialect says so, and the size of its result", () =>
    Effect.gen(function*() {
      const dialect = Dialect.make({ name: "tools", subjects: { use: "name" } })
      const { lines } = yield* logging(
        { use: ({ params }) => params === undefined ? Effect.die("no") : Effect.succeed("x".repeat(2_000)) },
        [request(1, "use", { name: "big\n" }), request(2, "use", { name: 7 }), request(3, "use")],
        { dialect, limits: { frame: 1_024 } }
      )
      assert.deepStrictEqual(lines, [
        "Warn the result of use of \"big\\n\" (id 1) has 2036 bytes, more than the limit `frame` of 1024 bytes",
        "Warn the result of use (id 2) has 2036 bytes, more than the limit `frame` of 1024 bytes",
        "Warn the handler of use (id 3) failed in a way it did not declare"
      ])
    }))

  it.effect("is that a client speaks another protocol", () =>
    Effect.gen(function*() {
      const lines: Array<string> = []
      const logger = Logger.make(({ logLevel, message }) => void lines.push(`${logLevel} ${String(message)}`))
      const foreign = Transport.transportError({ _tag: "ForeignProtocol", excerpt: "GET / HTTP/" })
      const peer = yield* Peer.make({ receive: Effect.fail(foreign), send: () => Effect.void, close: Effect.void })
        .pipe(
          Effect.provide(Logger.layer([logger]))
        )
      yield* peer.closed
      yield* settle
      assert.deepStrictEqual(lines, ["Warn the connection ends: the other side speaks another protocol: GET / HTTP/"])
    }))
})
