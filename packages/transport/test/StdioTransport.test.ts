import { assert, describe, it } from "@effect/vitest"
import { Listener, StdioTransport, Transport } from "@parley/transport"
import { Console, Deferred, Effect, Layer, Sink, Stdio, Stream } from "effect"
import { reasonOf } from "./support/wire.ts"

const encoder = new TextEncoder()

/** Standard input with these chunks, and what was written to standard output. */
const stdioOf = (...input: ReadonlyArray<string>) => {
  const written: Array<string> = []
  const layer = Stdio.layerTest({
    stdin: Stream.fromIterable(input.map((chunk) => encoder.encode(chunk))),
    stdout: () =>
      Sink.forEach((chunk: string | Uint8Array) =>
        Effect.sync(() => void written.push(typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk)))
      )
  })
  return { layer, written }
}

describe("StdioTransport", () => {
  it.effect("reads stdin, and still writes to stdout after its end", () => {
    const { layer, written } = stdioOf("{\"a\"", ":1}\n2\n")
    return Effect.gen(function*() {
      const transport = yield* Transport.Transport
      const texts = [...(yield* transport.receive)]
      if (texts.length < 2) texts.push(...(yield* transport.receive))
      assert.deepStrictEqual(texts, ["{\"a\":1}", "2"])
      assert.strictEqual((yield* reasonOf(transport.receive))._tag, "EndOfInput")
      yield* transport.send(["3"])
      assert.deepStrictEqual(written, ["3\n"])
    }).pipe(Effect.provide(StdioTransport.layer().pipe(Layer.provide(layer))))
  })

  it.effect("is a listener with one connection", () => {
    const { layer, written } = stdioOf("1\n")
    return Effect.gen(function*() {
      const listener = yield* Listener.Listener
      assert.strictEqual(listener.address, "stdio:")
      const reason = yield* reasonOf(
        listener.run((transport) => Effect.flatMap(transport.receive, () => transport.send(["2"])))
      )
      assert.strictEqual(reason._tag, "EndOfInput")
      assert.deepStrictEqual(written, ["2\n"])
    }).pipe(Effect.provide(StdioTransport.layerListener().pipe(Layer.provide(layer))))
  })

  it.effect("a stdout that fails is Lost", () =>
    Effect.gen(function*() {
      const transport = yield* StdioTransport.make()
      assert.strictEqual((yield* reasonOf(transport.send(["1"])))._tag, "Lost")
      assert.strictEqual((yield* reasonOf(transport.send(["2"])))._tag, "Lost")
    }).pipe(Effect.provide(Stdio.layerTest({
      stdin: Stream.never,
      stdout: () => Sink.die(new Error("nobody reads"))
    }))))

  it.effect("layerLogToStderr keeps the default logger off stdout", () =>
    Effect.gen(function*() {
      const lines: Array<string> = []
      const logged = yield* Deferred.make<void>()
      const consoleOf = (name: string) => () => {
        lines.push(name)
        Deferred.doneUnsafe(logged, Effect.void)
      }
      yield* Effect.log("hello").pipe(
        Effect.provide(StdioTransport.layerLogToStderr),
        Effect.provideService(Console.Console, { ...console, log: consoleOf("stdout"), error: consoleOf("stderr") })
      )
      yield* Deferred.await(logged)
      assert.deepStrictEqual(lines, ["stderr"])
    }))
})
