/** Adds one to a number in the store, many times, each under the lock: `counter.ts DIRECTORY TIMES`. */
import * as NodeTokenStore from "@parley/node/NodeTokenStore"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

const [directory = "", times = ""] = process.argv.slice(2)
const store = NodeTokenStore.make({ directory })

const add = store.withLock(
  "count",
  Effect.gen(function*() {
    const found = yield* store.get("count")
    const count = found === undefined ? 0 : Number(Redacted.value(found))
    yield* Effect.yieldNow
    yield* store.set("count", Redacted.make(String(count + 1)))
  })
)

await Effect.runPromise(Effect.repeat(add, { times: Number(times) - 1 }))
