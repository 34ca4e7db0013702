import { assert, describe, it } from "@effect/vitest"
import * as Transport from "@parley/transport/Transport"
import { Effect, Fiber } from "effect"
import { PassThrough } from "node:stream"
import * as Display from "../../src/internal/tap/Display.ts"
import * as Filter from "../../src/internal/tap/Filter.ts"
import type { Seen } from "../../src/internal/tap/Story.ts"

/** A terminal of this width that nobody reads before it is asked. */
const terminal = (columns: number, highWaterMark = 1_000_000) =>
  // Only what a display uses of a terminal is here.
  Object.assign(new PassThrough({ highWaterMark }), { isTTY: true, columns }) as unknown as
    & NodeJS.WriteStream
    & PassThrough

const sent = (text: string): Seen => ({ _tag: "Sent", time: 0, connection: 1, text })

const shown = (options: Partial<Display.Options>, ...seen: ReadonlyArray<Seen>) =>
  Effect.gen(function*() {
    const stream = terminal(80)
    const show = Display.make({ stream, filter: Filter.everything, secrets: false, ...options })
    for (const one of seen) yield* show(one)
    return String(stream.read() ?? "")
  })

/** The text without colours. */
const plain = (text: string): string => text.replace(/\p{Cc}\[\d*[mK]/gu, "")

const secret = `{"jsonrpc":"2.0","id":"sk-12345678abc","method":"m","params":{"token":"s3cr3t"}}`

describe("a display", () => {
  it.live("cuts lines to the terminal, and replaces secrets wherever they stand", () =>
    Effect.gen(function*() {
      const lost = Transport.transportError({ _tag: "Lost", cause: new Error("https://me:s3cr3t@example.org") })
      const text = yield* shown(
        {},
        sent(secret),
        sent(`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"Bearer s3cr3t"}}`),
        { _tag: "Ended", time: 0, connection: 1, error: lost },
        { _tag: "Http", time: 0, connection: 1, text: "POST http://a?token=s3cr3t, 401", status: 401 }
      )
      assert.notInclude(text, "s3cr3t")
      assert.notInclude(text, "12345678")
      const lines = text.trimEnd().split("\n")
      assert.strictEqual(lines.length, 4)
      for (const line of lines) assert.isAtMost(plain(line).length, 80)
      assert.include(lines[3], "token=[redacted], 401")
      assert.include(yield* shown({ secrets: true }, sent(secret)), "sk-12345678abc")
    }))

  it.live("shows what the filter names, and remembers the requests that it does not show", () =>
    Effect.gen(function*() {
      const filter: Filter.Filter = ({ kind }) => kind === "result"
      const text = yield* shown({ filter }, sent(secret), {
        _tag: "Received",
        time: 5,
        connection: 1,
        text: `{"jsonrpc":"2.0","id":"sk-12345678abc","result":0}`
      })
      assert.match(plain(text), /^00:00:00\.005 ← m [^\n]* 5 ms [^\n]*\n$/)
    }))

  it.live("takes what else stands in its line away, where something may", () =>
    Effect.gen(function*() {
      assert.isTrue((yield* shown({ isShared: true }, sent(secret))).startsWith("\r\u001b[K"))
      assert.isFalse((yield* shown({}, sent(secret))).startsWith("\r"))
    }))

  it.live("waits while nobody reads it", () =>
    Effect.gen(function*() {
      const stream = terminal(80, 1)
      const show = Display.make({ stream, filter: Filter.everything, secrets: false })
      const all = yield* Effect.forkChild(Effect.forEach(Array.from({ length: 10 }, () => sent(secret)), show))
      yield* Effect.replicateEffect(Effect.yieldNow, 50, { discard: true })
      assert.isUndefined(all.pollUnsafe())
      stream.resume()
      yield* Fiber.join(all)
    }))
})
