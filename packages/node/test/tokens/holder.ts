/** Takes the lock of a key, says so, and holds it until it is killed: `holder.ts DIRECTORY KEY`. */
import * as NodeTokenStore from "@parley/node/NodeTokenStore"
import * as Effect from "effect/Effect"

const [directory = "", key = ""] = process.argv.slice(2)
const store = NodeTokenStore.make({ directory })

await Effect.runPromise(store.withLock(
  key,
  Effect.andThen(Effect.sync(() => process.stdout.write("held\n")), Effect.sleep("1 hour"))
))
