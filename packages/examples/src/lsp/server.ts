/** A language server over stdio, as editors start them: `node packages/examples/src/lsp/server.ts`. */
import { NodeStdio } from "@parley/node"
import { Peer } from "@parley/peer"
import { Effect, Layer } from "effect"
import * as GlossaryServer from "./GlossaryServer.ts"
import { Lsp } from "./Lsp.ts"

process.exitCode = await Effect.runPromise(Effect.gen(function*() {
  const { exited, handlers } = yield* GlossaryServer.make
  const stdio = NodeStdio.layerTransport()
  const served = Effect.gen(function*() {
    const peer = yield* Peer.Peer
    // An editor that is gone without a word has crashed.
    return yield* Effect.raceFirst(exited, Effect.as(peer.closed, 1))
  })
  return yield* Effect.provide(served, Layer.provide(Lsp.layerServer(handlers), stdio))
}))
