/** Two peers in one process that call each other: one asks for work, the other reports progress and asks back. */
import { Peer, Router } from "@parley/peer"
import { MemoryTransport } from "@parley/transport"
import { Effect } from "effect"

await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
  const [left, right] = yield* MemoryTransport.makePair()

  const desk = yield* Router.make()
  yield* desk.add("approve", ({ params }) =>
    Effect.sync(() => {
      console.log("asked to approve", JSON.stringify(params))
      return true
    }))

  const workshop = yield* Router.make()
  yield* workshop.add("build", (call) =>
    Effect.gen(function*() {
      yield* call.progress({ value: { kind: "report", percentage: 50 } })
      // `call.peer` is the other side of this connection; a handler that waits for it holds nothing back.
      const approved = yield* call.peer.request("approve", ["the plan"])
      yield* call.progress({ value: { kind: "report", percentage: 100 } })
      return approved ? "built" : "not built"
    }).pipe(Effect.orDie))

  const client = yield* Peer.make(left, { router: desk })
  yield* Peer.make(right, { router: workshop })

  const result = yield* client.request("build", { what: "a house" }, {
    onProgress: (params) => console.log("progress", JSON.stringify(params))
  })
  console.log(result)
})))
