/** Foreign clients that do not notice the tap between them and a server. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Seen } from "../../src/internal/tap/Story.ts"
import * as Watcher from "../../src/internal/tap/Watcher.ts"
import * as Parley from "../Parley.ts"
import * as Joined from "../proxy/Joined.ts"
import { clients } from "./transcript.ts"

const serve = Effect.gen(function*() {
  const running = yield* Parley.start(["mcp", "serve", "--http", "127.0.0.1:0"])
  return (yield* running.line).replace(/^listening /, "")
})

describe("through a tap", () => {
  it.live(
    "the clients of the SDK get of a server of both eras what they get of it directly",
    () =>
      Effect.gen(function*() {
        const url = yield* serve
        yield* Effect.forEach(Object.entries(clients), ([name, transcript]) =>
          Effect.gen(function*() {
            const seen: Array<Seen> = []
            const watch = Watcher.make((one) => Effect.sync(() => void seen.push(one)))
            const front = yield* Joined.proxy("http://127.0.0.1:0/mcp", url, watch)
            const [direct, tapped] = yield* Effect.all([transcript(url, true), transcript(front, true)], {
              concurrency: 2
            })
            assert.deepStrictEqual(tapped, direct, name)
            const sent = seen.filter(({ _tag }) => _tag === "Sent").length
            assert.isAbove(sent, 10)
            // Each request is answered, and nothing was unreadable.
            assert.deepStrictEqual(seen.filter(({ _tag }) => _tag === "Bad" || _tag === "Ended"), [])
          }).pipe(Effect.scoped), { concurrency: "unbounded", discard: true })
      }),
    30_000
  )
})
