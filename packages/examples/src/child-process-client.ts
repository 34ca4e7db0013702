/** Drives a program over its stdin and stdout: starts it, calls it, interrupts a call, and ends it with the Scope. */
import { NodeChildProcess } from "@parley/node"
import { Peer } from "@parley/peer"
import { Effect, Fiber } from "effect"
import { parleyServe } from "./Programs.ts"

await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
  const transport = yield* NodeChildProcess.makeTransport({
    ...parleyServe,
    onStderr: (text) => Effect.sync(() => process.stderr.write(text))
  })
  const peer = yield* Peer.make(transport, { timeout: "5 seconds" })

  console.log("sum:", yield* peer.request("sum", [1, 2, 3]))

  // One call with less time than the others.
  yield* peer.request("sleep", [60_000], { timeout: "50 millis" }).pipe(
    Effect.catchTag("RequestTimeout", ({ method }) => Effect.sync(() => console.log("too late:", method)))
  )

  // Interrupting a call tells the other side to stop.
  const call = yield* Effect.forkChild(peer.request("sleep", { ms: 60_000 }), { startImmediately: true })
  yield* Fiber.interrupt(call)

  console.log("connected:", yield* peer.connected)
})))
console.log("the process has ended")
