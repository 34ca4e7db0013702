/** Takes the lock of a key where no file can be written, and says how that fails: `cramped.ts DIRECTORY`. */
import * as NodeTokenStore from "@parley/node/NodeTokenStore"
import * as Effect from "effect/Effect"

// A process that does not listen is ended by it.
process.on("SIGXFSZ", () => {})

const store = NodeTokenStore.make({ directory: process.argv[2] ?? "" })
const { _tag } = await Effect.runPromise(Effect.flip(store.withLock("a", Effect.void)))
process.stdout.write(`${_tag}\n`)
